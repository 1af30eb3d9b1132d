// The result is read while the thread that computes it may not have run.
// heddle-bug: kind=assert granularity=sync class=order set=held
// fix: wait|join|before
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void* compute(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  result = 42;
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, compute, NULL);
  pthread_mutex_lock(&m);  // BUG
  int seen = result;
  pthread_mutex_unlock(&m);
  pthread_join(a, NULL);
  assert(seen == 42);
  return 0;
}
