// A thread waits in a loop without a call for what nobody does.
#include <pthread.h>

static volatile int go;

static void* worker(void* unused) {
  (void)unused;
  while (!go) {
  }
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, NULL);
  return 0;
}
