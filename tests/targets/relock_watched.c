// heddle: expect=none runs<=40
// Main locks a mutex twice, and a thread that was started for it ends the program with success: a wait that was meant.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* watch(void* unused) {
  (void)unused;
  sleep(1);
  exit(0);
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, 0, watch, 0);
  pthread_mutex_lock(&mutex);
  return 1;
}
