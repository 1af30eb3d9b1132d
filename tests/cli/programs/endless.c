// A thread that computes for ever without a scheduling point.
#include <pthread.h>

static void* spin(void* arg) {
  for (volatile unsigned long i = 0;; ++i) {
  }
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, spin, NULL);
  pthread_join(thread, NULL);
  return 0;
}
