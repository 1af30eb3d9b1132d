// heddle: expect=livelock preemptions=1 runs<=200
// Each thread keeps its own lock while it retries the other's: both retry for ever.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void* both(void* mine) {
  const long own = (long)mine;
  pthread_mutex_lock(&lock[own]);
  while (pthread_mutex_trylock(&lock[1 - own]) != 0) sched_yield();
  pthread_mutex_unlock(&lock[1 - own]);
  pthread_mutex_unlock(&lock[own]);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, both, (void*)0);
  pthread_create(&two, 0, both, (void*)1);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
