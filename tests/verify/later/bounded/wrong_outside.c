// verify: still-fails
// Woken after the lock was given back.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define ITEMS 2
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;
static int value;

static void put(int v) {
  pthread_mutex_lock(&mutex);
  while (full) pthread_cond_wait(&changed, &mutex);
  value = v;
  full = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&changed);
}

static int get(void) {
  pthread_mutex_lock(&mutex);
  while (!full) pthread_cond_wait(&changed, &mutex);
  const int v = value;
  full = 0;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&changed);
  return v;
}

static void* producer(void* arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; ++i) put(i);
  return NULL;
}

static void* consumer(void* arg) {
  (void)arg;
  for (int i = 0; i < ITEMS; ++i) get();
  return NULL;
}

int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], NULL, consumer, NULL);
  pthread_create(&t[1], NULL, consumer, NULL);
  pthread_create(&t[2], NULL, producer, NULL);
  pthread_create(&t[3], NULL, producer, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
  return 0;
}
