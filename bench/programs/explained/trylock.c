// The statistics are updated under a try-lock whose answer nobody looks at.
// heddle-bug: kind=assert,misuse granularity=sync class=misuse set=tuned
// fix: only|result|answer|succe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static int requests, bytes;

static void account(int n) {
  pthread_mutex_trylock(&stats_lock);  // BUG
  ++requests;
  bytes += n;
  pthread_mutex_unlock(&stats_lock);
}

static void* worker(void* unused) {
  account(10);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_mutex_lock(&stats_lock);
  assert(bytes == 10 * requests);
  pthread_mutex_unlock(&stats_lock);
  return 0;
}
