// verify: fixed|cannot-tell
// The library's barrier.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define N 2
static pthread_barrier_t barrier;
static int steps[N];

static void meet(void) { pthread_barrier_wait(&barrier); }

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
  pthread_barrier_init(&barrier, NULL, N);
  pthread_t t[N];
  for (int i = 0; i < N; ++i) pthread_create(&t[i], NULL, walk, &names[i]);
  for (int i = 0; i < N; ++i) pthread_join(t[i], NULL);
  return 0;
}
