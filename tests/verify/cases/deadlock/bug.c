// Two locks in two orders.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void* there(void* arg) {
  (void)arg;
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  ++moved;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return NULL;
}

static void* back(void* arg) {
  (void)arg;
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  --moved;
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, there, NULL);
  pthread_create(&b, NULL, back, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return moved;
}
