// Stop is announced to consumers only by a signal, of which one of two gets it.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=held
// fix: broadcast
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int stop, work = 1;

static void* consumer(void* unused) {
  pthread_mutex_lock(&m);
  for (;;) {
    if (work > 0) {
      --work;
      continue;
    }
    if (stop) break;
    pthread_cond_wait(&go, &m);
  }
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, consumer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_mutex_lock(&m);
  stop = 1;
  pthread_cond_signal(&go);  // BUG
  pthread_mutex_unlock(&m);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
