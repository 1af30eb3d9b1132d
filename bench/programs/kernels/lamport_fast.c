// Lamport's fast mutual exclusion with the second test of the slow path missing: a thread that saw
// another in the fast path does not wait for it to withdraw its flag.
// Stands for: "lamport" of SV-COMP pthread (Lamport 1987).
// Ours differs: two threads; sequentially consistent atomics; waiting yields.
// heddle-kernel: family=lamport kind=assert granularity=access optimum=2 class=order
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int x, y, raised[2], inside;

static void* enter(void* arg) {
  int me = *(int*)arg;  // 1 or 2
  for (;;) {
    atomic_store(&raised[me - 1], 1);
    atomic_store(&x, me);
    if (atomic_load(&y) != 0) {
      atomic_store(&raised[me - 1], 0);
      while (atomic_load(&y) != 0) sched_yield();
      continue;
    }
    atomic_store(&y, me);
    if (atomic_load(&x) == me) break;
    atomic_store(&raised[me - 1], 0);
#ifdef FIXED
    for (int i = 0; i < 2; i++)
      while (atomic_load(&raised[i])) sched_yield();
#endif
    if (atomic_load(&y) == me) break;  // BUG
    while (atomic_load(&y) != 0) sched_yield();
  }
  int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&y, 0);
  atomic_store(&raised[me - 1], 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int id[2] = {1, 2};
  pthread_create(&a, NULL, enter, &id[0]);
  pthread_create(&b, NULL, enter, &id[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
