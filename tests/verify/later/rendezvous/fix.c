// verify: fixed
// Each meeting has a number.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define N 2
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;
static int meeting;
static int steps[N];

static void meet(void) {
  pthread_mutex_lock(&mutex);
  arrived++;
  if (arrived == N) {
    arrived = 0;
    meeting++;
    pthread_cond_broadcast(&all_here);
  } else {
    const int mine = meeting;
    while (mine == meeting) pthread_cond_wait(&all_here, &mutex);
  }
  pthread_mutex_unlock(&mutex);
}

static void* walk(void* arg) {
  const int me = *(int*)arg;
  for (int i = 0; i < 2; ++i) {
    steps[me]++;
    meet();
  }
  return NULL;
}

int main(void) {
  static int names[N] = {0, 1};
  pthread_t t[N];
  for (int i = 0; i < N; ++i) pthread_create(&t[i], NULL, walk, &names[i]);
  for (int i = 0; i < N; ++i) pthread_join(t[i], NULL);
  return 0;
}
