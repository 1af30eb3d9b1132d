// heddle: expect=none runs<=10
// Waits that only look at the clock, one with a yield, one with a poll: nothing else happens, so time goes on, 10 s of it in few events.
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void* yields(void* unused) {
  (void)unused;
  const long end = now() + 20000000L;
  while (now() < end) sched_yield();
  return 0;
}

static void* polls(void* unused) {
  (void)unused;
  const long end = now() + 10000000000L;
  while (now() < end) poll(0, 0, 0);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, yields, 0);
  pthread_create(&two, 0, polls, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
