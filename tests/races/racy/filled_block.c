// A block is filled while it is read.
#include "../two.h"

static char block[64];
int seen;

static void one(void) { memset(block, 1, sizeof block); }
static void two(void) { seen = block[63]; }

int main(void) {
  run_both(one, two);
  return 0;
}
