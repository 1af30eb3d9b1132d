// The caller has the recursive mutex already: the wait gives it back once only.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: recursive|twice|once more|2 times
#include <pthread.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void await_ready(void) {
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);  // BUG
  pthread_mutex_unlock(&m);
}

static void* waiter(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);  // BUG
  await_ready();
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* setter(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attributes);
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, setter, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
