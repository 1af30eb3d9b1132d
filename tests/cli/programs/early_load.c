// A bit is lost between a load and a store of an atomic word; when the sequential run comes to the load, no locked instruction has touched the
// word yet, and afterwards all of them are in order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint done;

static void* set_first(void* unused) {
  unsigned now = atomic_load(&done);
  atomic_store(&done, now | 1U);
  return unused;
}

static void* set_second(void* unused) {
  atomic_fetch_or(&done, 2U);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, set_first, NULL);
  pthread_create(&b, NULL, set_second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&done) == 3U);
  return 0;
}
