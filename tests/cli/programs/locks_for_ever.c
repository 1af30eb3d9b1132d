// Two threads that lock and unlock without end: a run ends when somebody ends it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long turns;

static void* work(void* argument) {
  for (;;) {
    pthread_mutex_lock(&lock);
    ++turns;
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
