// The starter broadcasts once; a runner that is not there yet waits for the next one. There is no flag.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: loop|flag|condition|variable|test
#include <pthread.h>

static pthread_mutex_t track = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t start = PTHREAD_COND_INITIALIZER;

static void* runner(void* unused) {
  (void)unused;
  pthread_mutex_lock(&track);
  pthread_cond_wait(&start, &track);  // BUG
  pthread_mutex_unlock(&track);
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, runner, 0);
  pthread_mutex_lock(&track);
  pthread_cond_broadcast(&start);  // BUG
  pthread_mutex_unlock(&track);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
