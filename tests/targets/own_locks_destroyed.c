// heddle: expect=none runs<=40
// A thread destroys locks that it holds itself, or that a thread held which has ended: glibc answers EBUSY, or lets go.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void must(int truth, const char* what) {
  if (truth) return;
  printf("%s\n", what);
  exit(1);
}

static void* leave(void* unused) {
  (void)unused;
  pthread_mutex_lock(&left);
  return 0;
}

static void* own(void* unused) {
  (void)unused;
  const struct timespec later = {2000000000, 0};
  pthread_mutex_lock(&mutex);
  must(pthread_mutex_destroy(&mutex) == EBUSY, "own mutex");
  must(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_destroy(&mutex) == 0, "own mutex again");
  pthread_rwlock_wrlock(&lock);
  must(pthread_rwlock_timedrdlock(&lock, &later) == EDEADLK, "read what one writes");
  must(pthread_rwlock_timedwrlock(&lock, &later) == EDEADLK, "write what one writes");
  must(pthread_rwlock_destroy(&lock) == 0, "own reader-writer lock");
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, leave, 0);
  pthread_create(&threads[1], 0, own, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  must(pthread_mutex_destroy(&left) == EBUSY, "a dead thread's mutex");
  return 0;
}
