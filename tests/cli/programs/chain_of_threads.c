// A chain: third fails on what second made of what first wrote. Six other threads have nothing to do with it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long work[8][64];
static int prepared;
static int* table;

// Nobody reads what these write, though they take the same lock.
static void* busy(void* number) {
  long* mine = work[(long)number];
  for (int i = 0; i < 200; ++i) {
    pthread_mutex_lock(&lock);
    mine[i % 64] += i;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void* first(void* unused) {
  pthread_mutex_lock(&lock);
  prepared = 3;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* second(void* unused) {
  pthread_mutex_lock(&lock);
  int n = prepared;
  table = n > 0 ? calloc((size_t)n, sizeof *table) : NULL;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* third(void* unused) {
  pthread_mutex_lock(&lock);
  int is_there = table != NULL;
  pthread_mutex_unlock(&lock);
  assert(!is_there);
  return unused;
}

int main(void) {
  pthread_t threads[9];
  for (long i = 0; i < 6; ++i) pthread_create(&threads[i], NULL, busy, (void*)i);
  pthread_create(&threads[6], NULL, first, NULL);
  pthread_create(&threads[7], NULL, second, NULL);
  pthread_create(&threads[8], NULL, third, NULL);
  for (int i = 0; i < 9; ++i) pthread_join(threads[i], NULL);
  return 0;
}
