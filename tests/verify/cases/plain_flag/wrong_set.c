// verify: still-fails
// Sets it with an atomic store.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static volatile int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int owners;

static void* claim(void* arg) {
  (void)arg;
  if (taken) return NULL;
  __atomic_store_n(&taken, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&lock);
  owners++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, claim, NULL);
  pthread_create(&b, NULL, claim, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(owners == 1);
  return 0;
}
