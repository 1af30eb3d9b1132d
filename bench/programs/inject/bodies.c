// Bodies that attract each other, step by step with a barrier between.
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "machines.h"

enum { kThreads = 8, kBodies = 48, kSteps = 3 };
static double x[kBodies], v[kBodies], f[kBodies], energy;
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* part(void* argument) {
  const int me = (int)(long)argument;
  for (int step = 0; step < kSteps; ++step) {
    point(0, me);
    for (int i = me; i < kBodies; i += kThreads) {
      double sum = 0;
      for (int j = 0; j < kBodies; ++j) {
        if (j != i) sum += (x[j] - x[i]) / (1 + fabs(x[j] - x[i]));
      }
      f[i] = sum;
      point(1, me);
    }
    point(2, me);
    pthread_barrier_wait(&barrier);
    point(3, me);
    double own = 0;
    for (int i = me; i < kBodies; i += kThreads) {
      v[i] += 0.01 * f[i];
      x[i] += v[i];
      own += v[i] * v[i];
      point(4, me);
    }
    pthread_mutex_lock(&mutex);
    point(5, me);
    energy += own;
    pthread_mutex_unlock(&mutex);
    point(6, me);
    pthread_barrier_wait(&barrier);
    point(7, me);
  }
  return NULL;
}

int main(int argc, char** argv) {
  arm(argc > 1 ? atoi(argv[1]) : 0, kThreads);
  for (int i = 0; i < kBodies; ++i) x[i] = i;
  pthread_barrier_init(&barrier, NULL, kThreads);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, part, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return energy > 0 ? 0 : 1;
}
