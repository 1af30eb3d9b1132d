// verify: fixed
// Compared and set under one lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int largest;

static int get_largest(void) {
  pthread_mutex_lock(&lock);
  int value = largest;
  pthread_mutex_unlock(&lock);
  return value;
}

static void set_largest(int value) {
  pthread_mutex_lock(&lock);
  if (value > largest) largest = value;
  pthread_mutex_unlock(&lock);
}

static void* measure(void* arg) {
  int value = *(int*)arg;
  if (value > get_largest()) set_largest(value);
  return NULL;
}

int main(void) {
  int values[2] = {3, 9};
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], NULL, measure, &values[i]);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  assert(get_largest() == 9);
  return 0;
}
