// verify: fixed
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static int a = 50, b = 50;

static void* move(void* arg) {
  (void)arg;
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  a -= 10;
  b += 10;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  return NULL;
}

static void* audit(void* arg) {
  (void)arg;
  pthread_mutex_lock(&b_lock);
  pthread_mutex_lock(&a_lock);
  const int sum = a + b;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_unlock(&b_lock);
  assert(sum == 100);
  return NULL;
}

int main(void) {
  pthread_t mover, auditor;
  pthread_create(&mover, NULL, move, NULL);
  pthread_create(&auditor, NULL, audit, NULL);
  pthread_join(mover, NULL);
  pthread_join(auditor, NULL);
  return 0;
}
