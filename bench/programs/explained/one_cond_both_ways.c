// Producers and consumers of a one-place box sleep on one condition and wake one: it may be the wrong kind.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: broadcast|all|two condition|own condition
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void* producer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (full) pthread_cond_wait(&changed, &lock);
  full = 1;
  pthread_cond_signal(&changed);  // BUG
  pthread_mutex_unlock(&lock);
  return 0;
}

static void* consumer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  while (!full) pthread_cond_wait(&changed, &lock);
  full = 0;
  pthread_cond_signal(&changed);  // BUG
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, i < 2 ? consumer : producer, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
