// The lock is given back although the try failed.
// heddle-bug: kind=misuse granularity=sync class=misuse set=tuned
// fix: (only (if|where|when)|result|succeed).*
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void* worker(void* arg) {
  (void)arg;
  int taken = pthread_mutex_trylock(&lock) == 0;
  if (taken) hits++;
  pthread_mutex_unlock(&lock);  // BUG
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
