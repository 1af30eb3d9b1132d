// A state machine that goes wrong only if three threads come in the one order 1, 2, 3 between the steps of a fourth.
// heddle-bug: kind=assert granularity=access class=atomicity,order set=tuned
// fix: .
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state, round_trip;

static void* stepper(void* arg) {
  int n = *(int*)arg;
  if (atomic_load(&state) == n) atomic_store(&state, n + 1);
  return NULL;
}

static void* runner(void* arg) {
  (void)arg;
  int before = atomic_load(&state);
  atomic_store(&round_trip, 1);
  int after = atomic_load(&state);  // BUG
  assert(!(before == 0 && after == 3));
  return NULL;
}

int main(void) {
  pthread_t a, b, c, d;
  int zero = 0, one = 1, two = 2;
  pthread_create(&d, NULL, runner, NULL);
  pthread_create(&c, NULL, stepper, &two);
  pthread_create(&b, NULL, stepper, &one);
  pthread_create(&a, NULL, stepper, &zero);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  pthread_join(d, NULL);
  return 0;
}
