// verify: fixed
// The same, with other names, and lines that moved.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int total;  // how many were added

// Adds one, three times, and keeps what it read until it has written.

static void* add(void* arg) {
  (void)arg;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&guard);
    const int seen = total;
    total = seen + 1;
    pthread_mutex_unlock(&guard);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(total == 6);
  return 0;
}
