// Peterson's lock with its two entry writes in the wrong order: a thread gives the turn away before it
// has raised its flag, and both can be inside.
// Stands for: "peterson" of SV-COMP pthread and the weak-memory suites, here broken in program order.
// Ours differs: sequentially consistent atomics; waiting yields.
// heddle-kernel: family=peterson kind=assert granularity=access optimum=2 class=order
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag[2], turn, inside;

static void* enter(void* arg) {
  int me = *(int*)arg, other = 1 - me;
#ifdef FIXED
  atomic_store(&flag[me], 1);
  atomic_store(&turn, other);
#else
  atomic_store(&turn, other);
  atomic_store(&flag[me], 1);  // BUG
#endif
  while (atomic_load(&flag[other]) && atomic_load(&turn) == other) sched_yield();
  int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&flag[me], 0);
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
