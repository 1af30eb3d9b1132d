// heddle: expect=signal preemptions=1 runs<=200
// A pointer is tested in one critical section and used in the next.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* buffer;

static void* user(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  int there = buffer != 0;
  pthread_mutex_unlock(&lock);
  if (there) {
    pthread_mutex_lock(&lock);
    *buffer = 1;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

static void* closer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  free(buffer);
  buffer = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t one, two;
  buffer = malloc(sizeof *buffer);
  pthread_create(&one, 0, user, 0);
  pthread_create(&two, 0, closer, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
