// More threads than a fork server keeps ready at first, and locks that are allocated after threads were created: the names of what a program
// allocates must not depend on how many threads a server has made ready since. The lost update makes it a failure to replay.
#include <pthread.h>
#include <stdlib.h>

enum { kThreads = 7 };
static int counter;

static void* work(void* lock) {
  pthread_mutex_lock(lock);
  const int seen = counter;
  pthread_mutex_unlock(lock);
  pthread_mutex_lock(lock);
  counter = seen + 1;
  pthread_mutex_unlock(lock);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_mutex_t* lock = malloc(sizeof *lock);
  pthread_mutex_init(lock, NULL);
  for (int i = 0; i < kThreads; ++i) {
    pthread_mutex_t* passing = malloc(sizeof *passing);
    pthread_mutex_init(passing, NULL);
    pthread_mutex_lock(passing);
    pthread_create(&threads[i], NULL, work, lock);
    pthread_mutex_unlock(passing);
    free(passing);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  free(lock);
  return counter != kThreads;
}
