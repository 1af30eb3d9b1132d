// The write comes after the unlock.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int value;

static void one(void) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  value = 1;
}
static void two(void) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  value = 2;
}

int main(void) {
  run_both(one, two);
  return 0;
}
