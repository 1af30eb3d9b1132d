// N-1 setters write a, then b; one checker must see both or neither. It fails only if the checker
// runs while some setter stands between its two writes and none has finished.
// Stands for: "reorder_N" of SV-COMP pthread and SCTBench CS (N threads beside main).
// Ours differs: the variables are atomics and the pair is kept by a lock in the fixed twin.
// heddle-kernel: family=reorder kind=assert granularity=access optimum=1 variants=N:3,N:4,N:5,N:10,N:20,N:50,N:100 class=order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int a, b;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void* set(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  atomic_store(&a, 1);
  atomic_store(&b, -1);  // BUG
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

static void* check(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  int seen_a = atomic_load(&a), seen_b = atomic_load(&b);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  assert((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1) || (seen_a == 0 && seen_b == -1));
  return NULL;
}

int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N - 1; i++) pthread_create(&t[i], NULL, set, NULL);
  pthread_create(&t[N - 1], NULL, check, NULL);
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  return 0;
}
