// Peterson's protocol with its two writes exchanged: the turn is given away before the interest is shown.
// heddle-bug: kind=assert granularity=access class=atomicity,order set=tuned
// fix: lock|protocol|one (atomic )?step
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static void enter(int me) {
  atomic_store(&turn, 1 - me);                                                        // BUG
  atomic_store(&wants[me], 1);                                                        // BUG
  while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) sched_yield();  // FIX
}

static void leave(int me) { atomic_store(&wants[me], 0); }

static void* side(void* arg) {
  int me = (int)(long)arg;
  enter(me);
  int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  atomic_fetch_sub(&inside, 1);
  leave(me);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, side, (void*)0L);
  pthread_create(&b, NULL, side, (void*)1L);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
