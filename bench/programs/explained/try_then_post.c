// Posts a semaphore that it did not get: there is one permit too many.
// heddle-bug: kind=assert granularity=access class=misuse set=tuned
// fix: (only (if|where|when)|result|succeed).*
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t permits;
static atomic_int inside;

static void* polite(void* arg) {
  (void)arg;
  sem_wait(&permits);
  int now = atomic_fetch_add(&inside, 1) + 1;
  assert(now == 1);
  atomic_fetch_sub(&inside, 1);
  sem_post(&permits);
  return NULL;
}

static void* hasty(void* arg) {
  (void)arg;
  if (sem_trywait(&permits) == 0) atomic_load(&inside);
  sem_post(&permits);  // BUG
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  sem_init(&permits, 0, 1);
  pthread_create(&a, NULL, polite, NULL);
  pthread_create(&b, NULL, hasty, NULL);
  pthread_create(&c, NULL, polite, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
