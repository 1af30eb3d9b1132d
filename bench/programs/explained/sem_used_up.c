// A permit is not given back on the way that finds nothing.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,lost-wakeup set=tuned
// fix: (post|give|release|count|permit).*
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t permits;
static atomic_int jobs = 1;

static void* worker(void* arg) {
  (void)arg;
  sem_wait(&permits);  // BUG
  if (atomic_fetch_sub(&jobs, 1) <= 0) return NULL;
  sem_post(&permits);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  sem_init(&permits, 0, 1);
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return 0;
}
