// A barrier of our own that is used twice: the last resets the count, and one that is slow to look misses it.
// heddle-bug: kind=livelock,deadlock granularity=access class=livelock,order,atomicity,lost-wakeup set=held
// fix: generation|round|wait|phase|turn|before|back|last
#include <pthread.h>
#include <sched.h>

enum { kThreads = 2 };
static volatile int arrived;

static void barrier(void) {
  if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == kThreads) {
    __atomic_store_n(&arrived, 0, __ATOMIC_SEQ_CST);  // FIX
  } else {
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) != 0) sched_yield();  // BUG
  }
}

static void* work(void* unused) {
  (void)unused;
  barrier();
  barrier();
  return 0;
}

int main(void) {
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  return 0;
}
