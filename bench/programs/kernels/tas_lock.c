// A spin lock that tests and sets in two steps.
// Stands for: the broken test-and-set lock of textbooks and of the Inspect suite.
// Ours differs: the spinning yields.
// heddle-kernel: family=tas_lock kind=assert granularity=access optimum=2 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int taken, inside;

static void acquire(void) {
#ifdef FIXED
  while (atomic_exchange(&taken, 1)) sched_yield();
#else
  while (atomic_load(&taken)) sched_yield();
  atomic_store(&taken, 1);  // BUG
#endif
}

static void* work(void* arg) {
  (void)arg;
  acquire();
  int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&taken, 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
