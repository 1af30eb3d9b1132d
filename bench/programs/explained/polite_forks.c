// Each takes its own fork, tries the other's, puts its own back and starts over at once.
// heddle-bug: kind=livelock granularity=sync class=livelock set=held
// fix: order|wait|back|turn
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t forks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void* eat(void* p) {
  const long me = (long)p;
  for (;;) {
    pthread_mutex_lock(&forks[me]);
    if (pthread_mutex_trylock(&forks[1 - me]) == 0) break;  // BUG
    pthread_mutex_unlock(&forks[me]);
    sched_yield();
  }
  pthread_mutex_unlock(&forks[1 - me]);
  pthread_mutex_unlock(&forks[me]);
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, eat, (void*)1);
  eat((void*)0);
  pthread_join(t, 0);
  return 0;
}
