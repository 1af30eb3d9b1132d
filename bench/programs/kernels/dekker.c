// Dekker's lock with the test of the other's flag before the raising of one's own: both can find the
// door open.
// Stands for: "dekker" of SV-COMP pthread and of the weak-memory suites, here broken in program order.
// Ours differs: sequentially consistent atomics; waiting yields.
// heddle-kernel: family=dekker kind=assert granularity=access optimum=2 class=order
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void* enter(void* arg) {
  int me = *(int*)arg, other = 1 - me;
#ifdef FIXED
  atomic_store(&wants[me], 1);
  while (atomic_load(&wants[other])) {
    if (atomic_load(&turn) != me) {
      atomic_store(&wants[me], 0);
      while (atomic_load(&turn) != me) sched_yield();
      atomic_store(&wants[me], 1);
    } else {
      sched_yield();
    }
  }
#else
  while (atomic_load(&wants[other])) sched_yield();
  atomic_store(&wants[me], 1);  // BUG
#endif
  int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&turn, other);
  atomic_store(&wants[me], 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int id[2] = {0, 1};
  pthread_create(&a, NULL, enter, &id[0]);
  pthread_create(&b, NULL, enter, &id[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
