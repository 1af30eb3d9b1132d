// Creates the pool if there is none: test and store without a lock.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=held
// fix: lock|one (atomic )?step|exchange
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int*) pool;
static atomic_int made;

static void* user(void* arg) {
  (void)arg;
  if (atomic_load(&pool) == NULL) {
    int* fresh = malloc(sizeof(int));
    atomic_fetch_add(&made, 1);
    atomic_store(&pool, fresh);  // BUG
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&made) == 1);
  return 0;
}
