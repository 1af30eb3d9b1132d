// The worker waits for main to signal; main waits for the worker to end.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,lost-wakeup set=tuned
// fix: .
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;

static void* worker(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  while (!go) pthread_cond_wait(&c, &m);  // BUG
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, worker, NULL);
  pthread_join(a, NULL);  // BUG
  pthread_mutex_lock(&m);
  go = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
