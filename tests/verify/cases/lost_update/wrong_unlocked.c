// verify: still-fails|cannot-tell
// No lock for the write: a plain build does not show it; runs under Valgrind do.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* add(void* arg) {
  (void)arg;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    const int seen = counter;
    pthread_mutex_unlock(&lock);
    counter = seen + 1;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 6);
  return 0;
}
