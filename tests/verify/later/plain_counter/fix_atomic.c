// verify: fixed
// Atomic.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static long hits;
static long misses;

static void count(int hit) {
  if (hit) {
    __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_add(&misses, 1, __ATOMIC_RELAXED);
  }
}

static void* client(void* arg) {
  (void)arg;
  count(1);
  count(0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, client, NULL);
  pthread_create(&b, NULL, client, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(hits + misses == 4);
  return 0;
}
