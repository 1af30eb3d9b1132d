// Two threads announce that they are done by setting their bit in a shared word, one of them by load
// and store: a bit is lost and the waiting main thread yields for ever.
// Stands for: the lost-bit livelock of event masks (kernel and driver bug reports).
// Ours differs: a waiting loop that yields, so that the failure is a livelock and not a deadlock.
// heddle-kernel: family=livelock kind=livelock granularity=access optimum=1 class=livelock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_uint done;

static void* first(void* arg) {
  (void)arg;
#ifdef FIXED
  atomic_fetch_or(&done, 1U);
#else
  unsigned now = atomic_load(&done);
  atomic_store(&done, now | 1U);  // BUG
#endif
  return NULL;
}

static void* second(void* arg) {
  (void)arg;
  atomic_fetch_or(&done, 2U);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  while (atomic_load(&done) != 3U) sched_yield();
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
