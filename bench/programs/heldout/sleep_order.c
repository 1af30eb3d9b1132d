// Half a millisecond is thought long enough for the other thread to write.
// heddle-kernel: family=sleep_order kind=assert granularity=sync class=order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ready;

static void* writer(void* unused) {
  (void)unused;
  atomic_store(&ready, 1);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, writer, NULL);
#ifdef FIXED
  pthread_join(t, NULL);
#else
  usleep(500);  // BUG
#endif
  assert(atomic_load(&ready));
#ifndef FIXED
  pthread_join(t, NULL);
#endif
  return 0;
}
