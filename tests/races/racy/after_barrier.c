// Both sides go on writing after the barrier that should have separated them.
#include "../two.h"

static pthread_barrier_t barrier;
int value;

static void one(void) {
  pthread_barrier_wait(&barrier);
  value = 1;
}
static void two(void) {
  pthread_barrier_wait(&barrier);
  value = 2;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_both(one, two);
  return 0;
}
