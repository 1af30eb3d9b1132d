// Volatile variables under a lock.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;
static void add(void) {
  pthread_mutex_lock(&m);
  value++;
  pthread_mutex_unlock(&m);
}

static void one(void) { add(); }
static void two(void) { add(); }

int main(void) {
  run_both(one, two);
  return 0;
}
