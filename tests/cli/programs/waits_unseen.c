// Waits by the processor's own counter, which no interposer sees, and for a thread's end in /proc, in turns that yield: both end by
// themselves, and are no livelock.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

static _Atomic int number;

static void* worker(void* unused) {
  const unsigned long long end = __rdtsc() + 2000000;
  while (__rdtsc() < end) sched_yield();
  atomic_store(&number, (int)syscall(SYS_gettid));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  while (atomic_load(&number) == 0) sched_yield();
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d", atomic_load(&number));
  while (access(path, F_OK) == 0) sched_yield();
  pthread_join(thread, NULL);
  return 0;
}
