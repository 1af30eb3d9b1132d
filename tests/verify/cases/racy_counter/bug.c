// verify-build: heddle-cc
// An update without a lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int hits;

static void* visit(void* arg) {
  const int* times = arg;
  for (int i = 0; i < *times; ++i) hits = hits + 1;
  return NULL;
}

int main(void) {
  static const int times = 2;
  pthread_t a, b;
  pthread_create(&a, NULL, visit, (void*)&times);
  pthread_create(&b, NULL, visit, (void*)&times);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(hits == 4);
  return 0;
}
