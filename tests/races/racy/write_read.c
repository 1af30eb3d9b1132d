// One side writes, the other reads.
#include "../two.h"

static int value;
int seen;

static void one(void) { value = 1; }
static void two(void) { seen = value; }

int main(void) {
  run_both(one, two);
  return 0;
}
