// heddle: expect=deadlock runs<=40
// As relock_watched, but the watch calls it a failure: what it saw was a deadlock.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* watch(void* unused) {
  (void)unused;
  sleep(1);
  exit(3);
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, 0, watch, 0);
  pthread_mutex_lock(&mutex);
  return 1;
}
