// What the clocks said, in the order in which two threads looked: no two runs print the same.
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void tell(const char* who, clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  printf("%s %lld.%09ld\n", who, (long long)t.tv_sec, t.tv_nsec);
}

static void* work(void* unused) {
  struct timespec until;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 3000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&never, &lock, &until);
    tell("waited", CLOCK_MONOTONIC);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  tell("wall", CLOCK_REALTIME);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  for (int i = 0; i < 4; ++i) {
    usleep(2000);
    pthread_mutex_lock(&lock);
    tell("slept", CLOCK_MONOTONIC);
    tell("used", CLOCK_PROCESS_CPUTIME_ID);
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, NULL);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("usage %lld.%06ld\n", (long long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
  return 1;
}
