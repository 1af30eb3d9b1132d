// Product of two matrices by blocks of rows, and its trace under a lock.
#include <pthread.h>
#include <stdio.h>

#include "machines.h"

enum { kThreads = 4, kSize = 28 };
static double a[kSize][kSize], b[kSize][kSize], c[kSize][kSize], trace;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* rows(void* argument) {
  const int me = (int)(long)argument;
  point(0, me);
  for (int i = me; i < kSize; i += kThreads) {
    point(1, me);
    for (int j = 0; j < kSize; ++j) {
      double sum = 0;
      for (int k = 0; k < kSize; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
      if (j == i) point(2, me);
      if (j == kSize / 2) point(3, me);
    }
    point(4, me);
    pthread_mutex_lock(&mutex);
    trace += c[i][i];
    point(5, me);
    pthread_mutex_unlock(&mutex);
    point(6, me);
  }
  for (int i = 0; i < 3; ++i) point(7, me);
  return NULL;
}

int main(int argc, char** argv) {
  arm(argc > 1 ? atoi(argv[1]) : 0, kThreads);
  for (int i = 0; i < kSize; ++i) {
    for (int j = 0; j < kSize; ++j) a[i][j] = i + j, b[i][j] = i == j;
  }
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, rows, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("%g\n", trace);
  return trace == kSize * (kSize - 1.0) ? 0 : 1;
}
