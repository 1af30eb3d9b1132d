// Each looks whether the other is inside before it says that it is itself.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: mutex|lock|one (atomic )?step|exchange
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], inside;

static void* worker(void* arg) {
  int me = arg != NULL;
  while (atomic_load(&wants[1 - me])) sched_yield();  // BUG
  atomic_store(&wants[me], 1);                        // BUG
  int now = atomic_fetch_add(&inside, 1);
  assert(now == 0);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&wants[me], 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, &a);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
