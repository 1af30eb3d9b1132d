// Four workers, a barrier for four, and one of them has less to do.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: barrier.*(4|3|four|three)|(4|four).*(3|three)
#include <pthread.h>

static pthread_barrier_t step;

static void* worker(void* arg) {
  long id = (long)arg;
  pthread_barrier_wait(&step);
  if (id == 3) return NULL;     // BUG
  pthread_barrier_wait(&step);  // BUG
  return NULL;
}

int main(void) {
  pthread_t t[4];
  pthread_barrier_init(&step, NULL, 4);
  for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, worker, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return 0;
}
