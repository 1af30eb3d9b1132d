// A graph walked in breadth: threads take nodes from a shared queue and mark their neighbours.
#include <pthread.h>

#include "machines.h"

enum { kThreads = 6, kNodes = 300, kDegree = 8 };
static int neighbours[kNodes][kDegree], marked[kNodes], queue[kNodes], head, tail, busy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int take(int me) {
  pthread_mutex_lock(&mutex);
  while (head == tail && busy > 0) pthread_cond_wait(&changed, &mutex);
  const int node = head < tail ? queue[head++] : -1;
  busy += node >= 0 ? 1 : 0;
  if (node >= 0) point(0, me);
  pthread_mutex_unlock(&mutex);
  return node;
}

static void* walker(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < 3; ++i) point(1, me);
  for (int node = take(me); node >= 0; node = take(me)) {
    point(2, me);
    int weight = 0;
    for (int i = 0; i < kDegree; ++i) {
      for (int k = 0; k < kDegree; ++k) weight += neighbours[neighbours[node][i]][k];
    }
    point(3, me);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < kDegree; ++i) {
      const int to = neighbours[node][i];
      if (marked[to]) continue;
      marked[to] = 1 + weight % 2;
      queue[tail++] = to;
      point(4, me);
    }
    --busy;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    point(5, me);
    if (node % 4 == 0) point(6, me);
  }
  for (int i = 0; i < 3; ++i) point(7, me);
  return NULL;
}

int main(int argc, char** argv) {
  arm(argc > 1 ? atoi(argv[1]) : 0, kThreads);
  unsigned seed = 3;
  for (int i = 0; i < kNodes; ++i) {
    neighbours[i][0] = (i + 1) % kNodes;
    for (int k = 1; k < kDegree; ++k) neighbours[i][k] = (int)(next_number(&seed) % kNodes);
  }
  marked[0] = 1;
  queue[tail++] = 0;
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, walker, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return tail == kNodes ? 0 : 1;
}
