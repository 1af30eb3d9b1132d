// verify-build: heddle-cc
// Nothing keeps two from initialising.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int ready, made;

static void* use(void* arg) {
  (void)arg;
  if (!ready) {
    made = made + 1;
    ready = 1;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, use, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(made == 1);
  return 0;
}
