// An `if` around a wait: only a wake-up without a signal shows it. "while": as it should be.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int full;
static int careful;

static void* consumer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  if (careful) {
    while (!full) pthread_cond_wait(&filled, &mutex);
  } else if (!full) {
    pthread_cond_wait(&filled, &mutex);
  }
  if (!full) abort();
  full = 0;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(int argc, char** argv) {
  careful = argc > 1 && strcmp(argv[1], "while") == 0;
  pthread_t thread;
  pthread_create(&thread, NULL, consumer, NULL);
  pthread_mutex_lock(&mutex);
  full = 1;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
