// verify: still-fails
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int done;

static int is_done(void) {
  pthread_mutex_lock(&lock);
  const int now = done;
  pthread_mutex_unlock(&lock);
  return now;
}

static void* consumer(void* arg) {
  (void)arg;
  if (!is_done()) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void* producer(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_cond_broadcast(&ready);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, consumer, NULL);
  pthread_create(&b, NULL, producer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
