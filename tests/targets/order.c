// heddle: expect=assert preemptions=1 switches=1 runs<=100
// The thread is started before what it needs is ready.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table;

static void* user(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  assert(table == 42);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t one;
  pthread_create(&one, 0, user, 0);
  pthread_mutex_lock(&lock);
  table = 42;
  pthread_mutex_unlock(&lock);
  pthread_join(one, 0);
  return 0;
}
