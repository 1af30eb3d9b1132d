// A lock of one's own, looked at and taken in two steps.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static volatile int busy;
static volatile int inside;

static void acquire(void) {
  while (busy) sched_yield();
  busy = 1;
}

static void release(void) { busy = 0; }

static void* worker(void* arg) {
  acquire();
  int before = inside;
  inside = before + 1;
  assert(inside == before + 1 && before == 0);
  inside = 0;
  release();
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
