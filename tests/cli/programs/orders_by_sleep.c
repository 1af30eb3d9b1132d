// The worker relies on a sleep to find what main prepares. "long": on one of a minute and a half.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static unsigned seconds;

static void* worker(void* unused) {
  (void)unused;
  if (seconds > 0) {
    sleep(seconds);
  } else {
    usleep(500);
  }
  pthread_mutex_lock(&mutex);
  if (!ready) abort();
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "long") == 0) seconds = 90;
  if (argc > 1 && strcmp(argv[1], "two") == 0) seconds = 2;
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
