// A pointer is checked, another thread takes it away, and the instruction that uses it fails.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* shared;

static void* takes(void* p) {
  pthread_mutex_lock(&lock);
  shared = p;  // takes
  pthread_mutex_unlock(&lock);
  return 0;
}

static void* uses(void* p) {
  (void)p;
  if (shared != 0) {  // checks
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    *shared = 1;  // crashes
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  int here = 0;
  shared = &here;  // sets
  pthread_create(&a, 0, uses, 0);
  pthread_create(&b, 0, takes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
