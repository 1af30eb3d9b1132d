// Fails only if a timed wait ends while the other thread, halfway through, could still run.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int begun, ready;

static void* prepares(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  begun = 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct timespec end;
  pthread_create(&thread, NULL, prepares, NULL);
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += 100000000;
  if (end.tv_nsec >= 1000000000) end.tv_sec++, end.tv_nsec -= 1000000000;
  pthread_mutex_lock(&lock);
  while (!ready) {
    if (pthread_cond_timedwait(&changed, &lock, &end) != 0 && begun && !ready) abort();
  }
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
