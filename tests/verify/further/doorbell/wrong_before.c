// verify: still-fails
// A byte is written to wake the reader only while it says that it sleeps.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int bell[2];
static int letters;
static int sleeping;

static void post(void) {
  pthread_mutex_lock(&mutex);
  const int wake = sleeping;
  ++letters;
  pthread_mutex_unlock(&mutex);
  if (wake && write(bell[1], "x", 1) != 1) perror("write");
}

static int collect(void) {
  pthread_mutex_lock(&mutex);
  const int got = letters;
  letters = 0;
  pthread_mutex_unlock(&mutex);
  return got;
}

static void* reader(void* unused) {
  char byte;
  (void)unused;
  int wanted = 2;
  while ((wanted -= collect()) > 0) {
    pthread_mutex_lock(&mutex);
    sleeping = 1;
    pthread_mutex_unlock(&mutex);
    if (read(bell[0], &byte, 1) != 1) perror("read");
    pthread_mutex_lock(&mutex);
    sleeping = 0;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (pipe(bell) != 0) return 2;
  pthread_create(&thread, NULL, reader, NULL);
  post();
  post();
  pthread_join(thread, NULL);
  return 0;
}
