// Each side holds a lock, but not the same one.
#include "../two.h"

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void one(void) {
  pthread_mutex_lock(&m1);
  value++;
  pthread_mutex_unlock(&m1);
}
static void two(void) {
  pthread_mutex_lock(&m2);
  value++;
  pthread_mutex_unlock(&m2);
}

int main(void) {
  run_both(one, two);
  return 0;
}
