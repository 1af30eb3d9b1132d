// 30,000 operations before the first thread, and then a withdrawal that checks in one critical section and acts in another.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 1;

static void* withdraw(void* unused) {
  pthread_mutex_lock(&mutex);
  const int enough = balance > 0;
  pthread_mutex_unlock(&mutex);
  if (!enough) return unused;
  pthread_mutex_lock(&mutex);
  --balance;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  for (int i = 0; i < 15000; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, withdraw, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(balance == 0);
  return 0;
}
