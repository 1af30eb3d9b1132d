// verify: fixed
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t lock;
static int total;

static void* add(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  total += 1;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_mutex_init(&lock, NULL);
  pthread_create(&a, NULL, add, NULL);
  pthread_mutex_lock(&lock);
  total += 1;
  pthread_mutex_unlock(&lock);
  pthread_join(a, NULL);
  pthread_mutex_destroy(&lock);
  return 0;
}
