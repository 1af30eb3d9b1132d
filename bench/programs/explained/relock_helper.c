// A helper takes the lock that its caller has, in one branch only.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,misuse set=held
// fix: (already|itself|twice|second|before).*
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int full;

static void flush(void) {
  pthread_mutex_lock(&m);  // BUG
  full = 0;
  pthread_mutex_unlock(&m);
}

static void* put(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  if (full) flush();  // BUG
  full = 1;
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* drain(void* arg) {
  (void)arg;
  flush();
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, put, NULL);
  pthread_create(&b, NULL, drain, NULL);
  pthread_create(&c, NULL, put, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
