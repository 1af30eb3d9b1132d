// Waits on conditions, with and without a time-out: the sanitizers ask the C library for these functions by name and version.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived;

static void* arrives(void* unused) {
  pthread_mutex_lock(&lock);
  ++arrived;
  pthread_cond_broadcast(&changed);
  while (arrived < 3) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, arrives, NULL);
  pthread_mutex_lock(&lock);
  while (arrived < 3) pthread_cond_wait(&changed, &lock);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec = 0;
  until.tv_sec += 1;
  while (pthread_cond_timedwait(&changed, &lock, &until) != ETIMEDOUT) {
  }
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("total %d\n", arrived);
  return 0;
}
