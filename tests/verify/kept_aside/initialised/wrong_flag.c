// verify: still-fails
// An atomic flag, set first: the gap is smaller.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static _Atomic int ready;
static int made;

static void* use(void* arg) {
  (void)arg;
  if (!ready) {
    ready = 1;
    made = made + 1;
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
