// verify-flags: -O1 -fno-inline
// A plain build: the counter is changed without a lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static long hits;
static long misses;

static void count(int hit) {
  if (hit) {
    hits = hits + 1;
  } else {
    misses = misses + 1;
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
