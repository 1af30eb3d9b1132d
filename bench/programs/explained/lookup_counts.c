// A lookup under the read lock also counts its hits: readers run side by side.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=held
// fix: write lock|atomic|lock
#include <assert.h>
#include <pthread.h>

struct table {
  pthread_rwlock_t lock;
  int keys[2];
  long hits;
};

static struct table table = {PTHREAD_RWLOCK_INITIALIZER, {4, 5}, 0};

static int find(struct table* t, int key) {
  int at = -1;
  pthread_rwlock_rdlock(&t->lock);
  for (int i = 0; i < 2; i++) {
    if (t->keys[i] == key) at = i;
  }
  if (at >= 0) t->hits++;  // BUG
  pthread_rwlock_unlock(&t->lock);
  return at;
}

static void* query(void* p) {
  find(&table, (int)(long)p);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, query, (void*)4);
  pthread_create(&b, 0, query, (void*)5);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(table.hits == 2);
  return 0;
}
