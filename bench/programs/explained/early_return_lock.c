// A way out of the function keeps the lock.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,misuse set=held
// fix: (unlock|give|release|every way|ends).*
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int used;

static int take(void) {
  pthread_mutex_lock(&m);  // BUG
  if (used) return 0;      // BUG
  used = 1;
  pthread_mutex_unlock(&m);
  return 1;
}

static void* worker(void* arg) {
  (void)arg;
  take();
  return NULL;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_create(&c, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
