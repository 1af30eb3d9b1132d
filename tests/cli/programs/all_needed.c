// Every thread adds to the sum that main checks: none can be left out.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  sum = sum + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  assert(sum != 4);
  return 0;
}
