// heddle: expect=none runs<=40
// As relock_watched, but main waits for the thread that has locked its mutex twice.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* twice(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  exit(1);
}
static void* watch(void* unused) {
  (void)unused;
  sleep(1);
  exit(0);
}

int main(void) {
  pthread_t thread, other;
  pthread_create(&other, 0, watch, 0);
  pthread_create(&thread, 0, twice, 0);
  pthread_join(thread, 0);
  return 1;
}
