// verify: fixed
// A file of its own, in which it is compared and set under one lock.
#include <assert.h>
#include <pthread.h>

#include "largest.h"

static void* measure(void* arg) {
  int value = *(int*)arg;
  raise_largest(value);
  return NULL;
}

int main(void) {
  int values[2] = {3, 9};
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], NULL, measure, &values[i]);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  assert(get_largest() == 9);
  return 0;
}
