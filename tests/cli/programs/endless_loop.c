// A main loop that never ends, as a server's. The worker's update of two words is not atomic.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long first, second;

static void add(long* word) {
  pthread_mutex_lock(&mutex);
  ++*word;
  pthread_mutex_unlock(&mutex);
}

static void* worker(void* unused) {
  (void)unused;
  for (;;) {
    add(&first);
    add(&second);
    usleep(100);
  }
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  for (;;) {
    pthread_mutex_lock(&mutex);
    if (first - second > 0 && first > 20) abort();
    pthread_mutex_unlock(&mutex);
    usleep(100);
  }
}
