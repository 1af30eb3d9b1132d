// Both only read.
#include "../two.h"

static int table[4] = {1, 2, 3, 4};
static __thread int sum;
static void add(void) {
  for (int i = 0; i < 4; i++) sum += table[i];
}

static void one(void) { add(); }
static void two(void) { add(); }

int main(void) {
  run_both(one, two);
  return 0;
}
