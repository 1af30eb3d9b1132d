// size() takes the read lock that its caller holds; a writer that came in between blocks it.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: already|twice|second|again|once
#define _GNU_SOURCE
#include <pthread.h>

struct list {
  pthread_rwlock_t lock;
  int items[8];
  int used;
};

static int list_size(struct list* l) {
  pthread_rwlock_rdlock(&l->lock);  // BUG
  int n = l->used;
  pthread_rwlock_unlock(&l->lock);
  return n;
}

static int list_sum(struct list* l) {
  pthread_rwlock_rdlock(&l->lock);
  int sum = 0;
  for (int i = 0, n = list_size(l); i < n; i++) sum += l->items[i];  // FIX
  pthread_rwlock_unlock(&l->lock);
  return sum;
}

static void* append(void* arg) {
  struct list* l = arg;
  pthread_rwlock_wrlock(&l->lock);
  l->items[l->used++] = 1;
  pthread_rwlock_unlock(&l->lock);
  return NULL;
}

int main(void) {
  struct list numbers = {.used = 0};
  pthread_rwlockattr_t fair;
  pthread_rwlockattr_init(&fair);
  pthread_rwlockattr_setkind_np(&fair, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&numbers.lock, &fair);
  pthread_t id;
  pthread_create(&id, NULL, append, &numbers);
  list_sum(&numbers);
  pthread_join(id, NULL);
  return 0;
}
