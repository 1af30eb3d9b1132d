// verify: fixed
// Under the lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static volatile int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int owners;

static void* claim(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  if (taken) {
    pthread_mutex_unlock(&lock);
    return NULL;
  }
  taken = 1;
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
