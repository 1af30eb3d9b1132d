// One thread updates a counter under lock A, N others under lock B; the first checks that nobody
// changed the counter inside its critical section.
// Stands for: "wronglock_1" and "wronglock_3" of SV-COMP pthread and SCTBench CS.
// Ours differs: the unlock and relock of a private mutex inside makes the gap visible to sync points.
// heddle-kernel: family=wronglock kind=assert granularity=sync optimum=1 variants=N:1,N:3 class=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 1
#endif

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER;
#ifndef FIXED
static pthread_mutex_t lock_b = PTHREAD_MUTEX_INITIALIZER;
#endif
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int data, lines;

static void* owner(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock_a);
  int before = atomic_load(&data);
  pthread_mutex_lock(&log_lock);
  atomic_fetch_add(&lines, 1);
  pthread_mutex_unlock(&log_lock);
  atomic_store(&data, before + 1);
  assert(atomic_load(&data) == before + 1);
  pthread_mutex_unlock(&lock_a);
  return NULL;
}

static void* other(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock_a);
  atomic_fetch_add(&data, 1);
  pthread_mutex_unlock(&lock_a);
#else
  pthread_mutex_lock(&lock_b);  // BUG
  atomic_fetch_add(&data, 1);
  pthread_mutex_unlock(&lock_b);
#endif
  return NULL;
}

int main(void) {
  pthread_t o, t[N];
  pthread_create(&o, NULL, owner, NULL);
  for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, other, NULL);
  pthread_join(o, NULL);
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  assert(atomic_load(&data) == N + 1);
  return 0;
}
