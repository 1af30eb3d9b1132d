// verify: fixed
// A mutex for the whole, in a function of its own.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cached, computed;

static void compute_once(void) {
  const int hit = cached;
  if (!hit) {
    computed += 1;
    cached = 1;
  }
}

static void* lookup(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  compute_once();
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, lookup, NULL);
  pthread_create(&b, NULL, lookup, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(computed == 1);
  return 0;
}
