// The result of the try is not looked at.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void one(void) {
  int got = pthread_mutex_trylock(&m) == 0;
  value++;
  if (got) pthread_mutex_unlock(&m);
}
static void two(void) {
  int got = pthread_mutex_trylock(&m) == 0;
  value++;
  if (got) pthread_mutex_unlock(&m);
}

int main(void) {
  run_both(one, two);
  return 0;
}
