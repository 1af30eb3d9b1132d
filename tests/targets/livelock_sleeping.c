// heddle: expect=livelock preemptions=1 runs<=200
// As livelock.c, but the retries sleep, for different times: the state that comes back differs in nothing but the clock.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void* both(void* mine) {
  const long own = (long)mine;
  pthread_mutex_lock(&lock[own]);
  while (pthread_mutex_trylock(&lock[1 - own]) != 0) usleep((unsigned)(100 + 50 * own));
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
