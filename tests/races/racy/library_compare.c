// memcmp reads what the other thread writes.
#include "../two.h"

char left[64], right[64];
volatile int differs;

static void one(void) { differs = memcmp(left, right, sizeof left); }
static void two(void) { left[40] = 1; }

int main(void) {
  run_both(one, two);
  return 0;
}
