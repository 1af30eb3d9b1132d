// verify: fixed
// A lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static long hits;
static long misses;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(int hit) {
  pthread_mutex_lock(&lock);
  if (hit) {
    hits = hits + 1;
  } else {
    misses = misses + 1;
  }
  pthread_mutex_unlock(&lock);
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
