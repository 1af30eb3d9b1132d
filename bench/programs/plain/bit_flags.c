// Two flags in one byte, each set by a thread of its own: one of them is lost.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
#include <assert.h>
#include <pthread.h>

static struct {
  unsigned ready : 1;
  unsigned dirty : 1;
} state;

static void* set_ready(void* arg) {
  (void)arg;
  state.ready = 1;  // BUG
  return NULL;
}

static void* set_dirty(void* arg) {
  (void)arg;
  state.dirty = 1;  // BUG
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, set_ready, NULL);
  pthread_create(&b, NULL, set_dirty, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(state.ready == 1 && state.dirty == 1);
  return 0;
}
