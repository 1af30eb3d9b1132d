// Both threads wait for the other in a loop without a call.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int go, done;

static void* worker(void* unused) {
  (void)unused;
  while (!atomic_load(&go)) {
  }
  atomic_store(&done, 1);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  atomic_store(&go, 1);
  while (!atomic_load(&done)) {
  }
  pthread_join(t, NULL);
  puts("both went on");
  return 0;
}
