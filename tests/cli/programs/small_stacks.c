// Two threads on the smallest stacks that there are; one of them may lose the other's update, which is said on stderr with exit code 1.
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* add(void* arg) {
  pthread_mutex_lock(&lock);
  const int seen = counter;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  counter = seen + 1;
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) != 0) return 7;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&threads[i], &attributes, add, NULL) != 0) return 8;
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (counter != 2) fprintf(stderr, "error: lost an update\n");
  return counter != 2;
}
