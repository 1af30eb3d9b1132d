#include "largest.h"

int largest;

int get_largest(void) {
  pthread_mutex_lock(&lock);
  int value = largest;
  pthread_mutex_unlock(&lock);
  return value;
}

void set_largest(int value) {
  pthread_mutex_lock(&lock);
  largest = value;
  pthread_mutex_unlock(&lock);
}
