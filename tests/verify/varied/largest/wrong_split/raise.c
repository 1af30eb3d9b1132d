#include "largest.h"

static pthread_mutex_t raising = PTHREAD_MUTEX_INITIALIZER;

void raise_largest(int value) {
  pthread_mutex_lock(&lock);
  int before = get_largest();
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&raising);
  if (value > before) set_largest(value);
  pthread_mutex_unlock(&raising);
}
