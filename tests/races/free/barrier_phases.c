// A barrier between the phases: each writes its own, then reads the other.
#include "../two.h"

static pthread_barrier_t barrier;
int values[2], sums[2];

static void phase(int me) {
  for (int round = 0; round < 3; round++) {
    values[me] = round;
    pthread_barrier_wait(&barrier);
    sums[me] += values[1 - me];
    pthread_barrier_wait(&barrier);
  }
}
static void one(void) { phase(0); }
static void two(void) { phase(1); }

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  run_both(one, two);
  return sums[0] == 3 && sums[1] == 3 ? 0 : 1;
}
