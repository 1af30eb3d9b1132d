// Threads are started in a loop and read their index from the loop's own variable, which has moved on
// by the time they run. Fails without any preemption.
// Stands for: "sigma" of SV-COMP pthread and SCTBench CS.
// Ours differs: the index is locked; N slots must each be marked once.
// heddle-kernel: family=sigma kind=assert granularity=sync optimum=0 variants=N:3,N:16 class=order
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_index = -1;
static int marks[N];
#ifdef FIXED
static int own_index[N];
#endif

static void* mark(void* arg) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  int index = *(int*)arg;
#else
  (void)arg;
  int index = next_index;  // BUG
#endif
  marks[index]++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) {
    pthread_mutex_lock(&lock);
    next_index = i;
    pthread_mutex_unlock(&lock);
#ifdef FIXED
    own_index[i] = i;
    pthread_create(&t[i], NULL, mark, &own_index[i]);
#else
    pthread_create(&t[i], NULL, mark, NULL);
#endif
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < N; i++) assert(marks[i] == 1);
  return 0;
}
