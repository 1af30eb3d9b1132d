// Two threads set i = j + 1 and j = i + 1, N times each: only strict alternation reaches the bound.
// Stands for: "triangular" of SV-COMP pthread (N=5 and 20 there).
// Ours differs: every step is locked.
// heddle-kernel: family=triangular kind=assert granularity=sync optimum=2*N-2 variants=N:1,N:2,N:4 class=order
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int i, j = 1;

static void* step_i(void* arg) {
  (void)arg;
  for (int k = 0; k < N; k++) {
    pthread_mutex_lock(&lock);
    i = j + 1;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void* step_j(void* arg) {
  (void)arg;
  for (int k = 0; k < N; k++) {
    pthread_mutex_lock(&lock);
    j = i + 1;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, step_i, NULL);
  pthread_create(&b, NULL, step_j, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  int bound = 2 * N + 1;
#ifdef FIXED
  assert(i <= bound && j <= bound);
#else
  assert(i < bound && j < bound);  // BUG
#endif
  return 0;
}
