// verify: still-fails
// POSIX threads instead of C11, the same if.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items;

static void* take(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  if (items == 0) pthread_cond_wait(&c, &m);
  assert(items > 0);
  --items;
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* put(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&m);
    ++items;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b, p;
  pthread_create(&a, NULL, take, NULL);
  pthread_create(&b, NULL, take, NULL);
  pthread_create(&p, NULL, put, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(p, NULL);
  return 0;
}
