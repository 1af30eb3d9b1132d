// The end of a thread pool: `running` is cleared after the lock was given back. A worker that takes it in between waits for ever.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static volatile int running = 1;

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  while (running) pthread_cond_wait(&work, &m);
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  pthread_mutex_lock(&m);
  pthread_cond_broadcast(&work);
  pthread_mutex_unlock(&m);
  running = 0;
  pthread_join(t, NULL);
  return 0;
}
