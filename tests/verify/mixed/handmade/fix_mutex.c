// verify: fixed|cannot-tell
// A lock of one's own, looked at and taken in two steps.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;

static void acquire(void) { pthread_mutex_lock(&busy); }

static void release(void) { pthread_mutex_unlock(&busy); }

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
