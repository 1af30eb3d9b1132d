// On the way out of a failed try the lock of the other is given back.
// heddle-bug: kind=misuse granularity=sync class=misuse set=held
// fix: (only (if|where|when)|result|succeed).*
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int work;

static int begin(void) { return pthread_mutex_trylock(&m) == 0; }
static void end(void) { pthread_mutex_unlock(&m); }  // BUG

static void* worker(void* arg) {
  (void)arg;
  if (begin()) work++;
  end();  // BUG
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
