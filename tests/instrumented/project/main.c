// Two threads count: an increment is lost where one comes between the other's two calls.
#include <pthread.h>
#include <stddef.h>

int counter_get(void);
void counter_set(int to);

static void* count(void* unused) {
  counter_set(counter_get() + 1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return counter_get() == 2 ? 0 : 1;
}
