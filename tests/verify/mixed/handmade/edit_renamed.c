// verify: still-fails
// A lock of one's own, looked at and taken in two steps.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static volatile int taken;
static volatile int inside;

static void enter(void) {
  while (taken) sched_yield();
  taken = 1;
}

static void leave(void) { taken = 0; }

static void* visitor(void* arg) {
  enter();
  int before = inside;
  inside = before + 1;
  assert(inside == before + 1 && before == 0);
  inside = 0;
  leave();
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, visitor, NULL);
  pthread_create(&b, NULL, visitor, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
