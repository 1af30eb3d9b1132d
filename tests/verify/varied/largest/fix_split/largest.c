#include "largest.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int largest;

int get_largest(void) {
  pthread_mutex_lock(&lock);
  int value = largest;
  pthread_mutex_unlock(&lock);
  return value;
}

void raise_largest(int value) {
  pthread_mutex_lock(&lock);
  if (value > largest) largest = value;
  pthread_mutex_unlock(&lock);
}
