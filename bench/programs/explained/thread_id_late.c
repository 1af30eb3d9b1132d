// The thread uses its own handle, which pthread_create's caller stores after it has begun.
// heddle-bug: kind=assert granularity=access class=order set=held
// fix: before|wait|first
#include <assert.h>
#include <pthread.h>

static int volatile slot = -1;

static void* worker(void* arg) {
  (void)arg;
  assert(slot == 3);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  slot = 3;  // BUG
  pthread_join(t, NULL);
  return 0;
}
