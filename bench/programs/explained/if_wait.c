// Two consumers, one item, a broadcast and an `if`.
// heddle-bug: kind=assert granularity=sync class=wait set=tuned
// fix: while|loop
#include <assert.h>
#include <pthread.h>

struct queue {
  pthread_mutex_t m;
  pthread_cond_t not_empty;
  int items;
};
static struct queue q = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void* consume(void* unused) {
  pthread_mutex_lock(&q.m);
  if (q.items == 0) pthread_cond_wait(&q.not_empty, &q.m);  // BUG
  --q.items;
  assert(q.items >= 0);
  pthread_mutex_unlock(&q.m);
  return unused;
}

static void put(void) {
  pthread_mutex_lock(&q.m);
  ++q.items;
  pthread_cond_broadcast(&q.not_empty);
  pthread_mutex_unlock(&q.m);
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, consume, NULL);
  pthread_create(&b, NULL, consume, NULL);
  put();
  put();
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
