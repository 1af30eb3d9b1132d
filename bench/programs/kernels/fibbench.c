// Two threads add each other's number to their own, N times each: only the strict alternation of all
// 2N steps reaches the Fibonacci bound.
// Stands for: "fib_bench" of SV-COMP pthread (N=5 there), the suites' example of a deep bug.
// Ours differs: every step is locked, so the depth is in the order of the steps alone.
// heddle-kernel: family=fibbench kind=assert granularity=sync optimum=2*N-2 variants=N:1,N:2,N:3,N:5 class=1:always,2:order,3:order,5:order
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int i = 1, j = 1;

static void* add_j(void* arg) {
  (void)arg;
  for (int k = 0; k < N; k++) {
    pthread_mutex_lock(&lock);
    i += j;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void* add_i(void* arg) {
  (void)arg;
  for (int k = 0; k < N; k++) {
    pthread_mutex_lock(&lock);
    j += i;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  int bound = 1, next = 1;
  for (int k = 0; k < 2 * N; k++) {
    int sum = bound + next;
    bound = next;
    next = sum;
  }
  pthread_t a, b;
  pthread_create(&a, NULL, add_j, NULL);
  pthread_create(&b, NULL, add_i, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef FIXED
  assert(i <= next && j <= next);
#else
  assert(i < next && j < next);  // BUG
#endif
  return 0;
}
