// Computed twice where both missed.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached, computed;

static void* lookup(void* arg) {
  (void)arg;
  pthread_rwlock_rdlock(&lock);
  const int hit = cached;
  pthread_rwlock_unlock(&lock);
  if (!hit) {
    pthread_rwlock_wrlock(&lock);
    computed += 1;
    cached = 1;
    pthread_rwlock_unlock(&lock);
  }
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
