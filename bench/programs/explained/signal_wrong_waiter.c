// Readers and writers sleep on one condition; the one signal may wake the wrong kind.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: all|broadcast|(condition|own).*each
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stage;

static void* one(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  while (stage != 1) pthread_cond_wait(&changed, &m);
  stage = 2;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* two(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  while (stage != 2) pthread_cond_wait(&changed, &m);
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, two, NULL);
  pthread_create(&b, NULL, one, NULL);
  pthread_mutex_lock(&m);
  stage = 1;
  pthread_cond_signal(&changed);  // BUG
  pthread_mutex_unlock(&m);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
