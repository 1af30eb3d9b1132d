// heddle: expect=none runs<=20
// Processor time is what was computed: sleeping takes none, a thread has no more of it than its process, and all ways to ask agree.
#include <assert.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static long long ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void* sleeper(void* unused) {
  const long long before = ns(CLOCK_THREAD_CPUTIME_ID);
  sleep(3);
  assert(ns(CLOCK_THREAD_CPUTIME_ID) - before < 1000000000LL);
  return unused;
}

int main(void) {
  const long long wall = ns(CLOCK_MONOTONIC), used = ns(CLOCK_PROCESS_CPUTIME_ID);
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  pthread_join(thread, NULL);
  assert(ns(CLOCK_MONOTONIC) - wall >= 3000000000LL);
  assert(ns(CLOCK_PROCESS_CPUTIME_ID) - used < 1000000000LL);
  assert(ns(CLOCK_THREAD_CPUTIME_ID) <= ns(CLOCK_PROCESS_CPUTIME_ID));
  struct rusage usage;
  const long long first = ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
  getrusage(RUSAGE_SELF, &usage);
  const long long second =
      usage.ru_utime.tv_sec * 1000000LL + usage.ru_utime.tv_usec + usage.ru_stime.tv_sec * 1000000LL + usage.ru_stime.tv_usec;
  const long long third = (long long)clock() * 1000000 / CLOCKS_PER_SEC;
  assert(first <= second && second <= third);
  struct tms t;
  times(&t);
  assert((long long)(t.tms_utime + t.tms_stime) * 10000 >= third / 10000 * 10000);
  assert(ns(CLOCK_PROCESS_CPUTIME_ID) <= ns(CLOCK_MONOTONIC));
  return 0;
}
