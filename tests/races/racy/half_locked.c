// Only one side takes the lock.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void one(void) {
  pthread_mutex_lock(&m);
  value++;
  pthread_mutex_unlock(&m);
}
static void two(void) { value++; }

int main(void) {
  run_both(one, two);
  return 0;
}
