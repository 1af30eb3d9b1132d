// verify: fixed
// Counted before they are started.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int running, finished;

static void* worker(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  ++finished;
  if (--running == 0) pthread_cond_signal(&idle);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void wait_for_all(void) {
  pthread_mutex_lock(&lock);
  while (running > 0) pthread_cond_wait(&idle, &lock);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  pthread_t t[2];
  running = 2;
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], NULL, worker, NULL);
  wait_for_all();
  pthread_mutex_lock(&lock);
  assert(finished == 2);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  return 0;
}
