// N threads increment a counter by load and store.
// Stands for: the lost update, first row of every suite ("counter", "inc_N", "racy counter").
// Ours differs: atomics, so that the program is defined; two increments a thread.
// heddle-kernel: family=lost_update kind=assert granularity=access optimum=1 variants=N:2,N:5,N:10 class=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int counter;

static void* increment(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
#ifdef FIXED
    atomic_fetch_add(&counter, 1);
#else
    int now = atomic_load(&counter);
    atomic_store(&counter, now + 1);  // BUG
#endif
  }
  return NULL;
}

int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, increment, NULL);
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  assert(atomic_load(&counter) == 2 * N);
  return 0;
}
