// N-1 writers set two values in two critical sections with a gap between; the reader must find the
// second consistent with the first.
// Stands for: "twostage_N" of SV-COMP pthread and SCTBench CS (N threads beside main).
// Ours differs: nothing but names.
// heddle-kernel: family=twostage kind=assert granularity=sync optimum=1 variants=N:2,N:20,N:50,N:100 class=atomicity
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_b = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;

static void* write_both(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock_a);
  data1 = 1;
#ifndef FIXED
  pthread_mutex_unlock(&lock_a);
#endif
  pthread_mutex_lock(&lock_b);  // BUG
  data2 = 2;
  pthread_mutex_unlock(&lock_b);
#ifdef FIXED
  pthread_mutex_unlock(&lock_a);
#endif
  return NULL;
}

static void* read_both(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock_a);
  int first = data1;
  pthread_mutex_unlock(&lock_a);
  if (first == 0) return NULL;
  pthread_mutex_lock(&lock_b);
  int second = data2;
  pthread_mutex_unlock(&lock_b);
  assert(second == first + 1);
  return NULL;
}

int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N - 1; i++) pthread_create(&t[i], NULL, write_both, NULL);
  pthread_create(&t[N - 1], NULL, read_both, NULL);
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  return 0;
}
