// A barrier for three where only two ever come when the third finds nothing to do.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: (2|two) .*(3|three)|(3|three) .*(2|two)
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t phase;
static atomic_int work = 2;

static void* worker(void* arg) {
  (void)arg;
  if (atomic_fetch_sub(&work, 1) <= 0) return NULL;
  pthread_barrier_wait(&phase);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  pthread_barrier_init(&phase, NULL, 3);  // BUG
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return 0;
}
