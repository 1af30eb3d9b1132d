// verify-build: heddle-cc
// Two that belong together.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int low, high;

static void* widen(void* arg) {
  (void)arg;
  low = low - 5;
  high = high + 5;
  return NULL;
}

static void* look(void* arg) {
  (void)arg;
  const int a = low;
  const int b = high;
  assert(a + b == 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, widen, NULL);
  pthread_create(&b, NULL, look, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
