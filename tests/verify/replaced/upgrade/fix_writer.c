// verify: fixed
// Whoever may write begins as a writer.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t readers_gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reading, writing, total;

static void write_lock(void) {
  pthread_mutex_lock(&data_lock);
  while (reading > 0 || writing) pthread_cond_wait(&changed, &data_lock);
  writing = 1;
  pthread_mutex_unlock(&data_lock);
}

static void write_unlock(void) {
  pthread_mutex_lock(&data_lock);
  writing = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&data_lock);
}

static void* worker(void* arg) {
  (void)arg;
  write_lock();
  int seen = total;
  total = seen + 1;
  write_unlock();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return total == 2 ? 0 : 1;
}
