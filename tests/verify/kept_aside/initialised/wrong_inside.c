// verify: still-fails
// The lock comes too late.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, made;

static void* use(void* arg) {
  (void)arg;
  if (!ready) {
    pthread_mutex_lock(&lock);
    made = made + 1;
    ready = 1;
    pthread_mutex_unlock(&lock);
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
