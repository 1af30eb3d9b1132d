// Three sleepers, one signal for each event, and an event that all of them wait for.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: all|broadcast
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t morning = PTHREAD_COND_INITIALIZER;
static int day;

static void* sleeper(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  while (!day) pthread_cond_wait(&morning, &m);
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, sleeper, NULL);
  pthread_mutex_lock(&m);
  day = 1;
  pthread_cond_signal(&morning);  // BUG
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return 0;
}
