// verify: still-fails
// A lock for each: no race any more, and still wrong.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t low_lock = PTHREAD_MUTEX_INITIALIZER, high_lock = PTHREAD_MUTEX_INITIALIZER;
static int low, high;

static void* widen(void* arg) {
  (void)arg;
  pthread_mutex_lock(&low_lock);
  low = low - 5;
  pthread_mutex_unlock(&low_lock);
  pthread_mutex_lock(&high_lock);
  high = high + 5;
  pthread_mutex_unlock(&high_lock);
  return NULL;
}

static void* look(void* arg) {
  (void)arg;
  pthread_mutex_lock(&low_lock);
  const int a = low;
  pthread_mutex_unlock(&low_lock);
  pthread_mutex_lock(&high_lock);
  const int b = high;
  pthread_mutex_unlock(&high_lock);
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
