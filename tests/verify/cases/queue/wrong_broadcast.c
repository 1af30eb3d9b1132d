// verify: still-fails
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void* take(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  if (items == 0) pthread_cond_wait(&filled, &lock);
  --items;
  assert(items >= 0);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* put(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&lock);
    ++items;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t one, two, three;
  pthread_create(&one, NULL, take, NULL);
  pthread_create(&two, NULL, put, NULL);
  pthread_create(&three, NULL, take, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  pthread_join(three, NULL);
  return 0;
}
