// N philosophers, each taking the left fork and then the right one: all left forks taken is a deadlock.
// Stands for: the dining philosophers, "din_philN_sat" of SV-COMP pthread and SCTBench CS.
// Ours differs: the fixed twin takes the lower fork first. One preemption suffices for every N: the
// others then block in turn, each with its left fork.
// heddle-kernel: family=philosophers kind=deadlock granularity=sync optimum=1 variants=N:2,N:3,N:4,N:5,N:7 class=deadlock
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t fork_of[N];
static int meals[N];

static void* philosopher(void* arg) {
  int me = *(int*)arg;
  int left = me, right = (me + 1) % N;
#ifdef FIXED
  if (left > right) {
    left = right;
    right = me;
  }
#endif
  pthread_mutex_lock(&fork_of[left]);
  pthread_mutex_lock(&fork_of[right]);  // BUG
  meals[me]++;
  pthread_mutex_unlock(&fork_of[right]);
  pthread_mutex_unlock(&fork_of[left]);
  return NULL;
}

int main(void) {
  pthread_t t[N];
  int id[N];
  for (int i = 0; i < N; i++) pthread_mutex_init(&fork_of[i], NULL);
  for (int i = 0; i < N; i++) {
    id[i] = i;
    pthread_create(&t[i], NULL, philosopher, &id[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  return 0;
}
