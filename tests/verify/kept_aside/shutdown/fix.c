// verify: fixed
// Broadcasts under the lock of the wait.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static int stop;

static int stopped(void) {
  pthread_mutex_lock(&stop_lock);
  const int now = stop;
  pthread_mutex_unlock(&stop_lock);
  return now;
}

static void* worker(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  while (!stopped()) pthread_cond_wait(&work, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void shut_down(void) {
  pthread_mutex_lock(&stop_lock);
  stop = 1;
  pthread_mutex_unlock(&stop_lock);
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&work);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  shut_down();
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
