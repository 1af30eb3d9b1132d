// Overlapping parts of a block move while another thread reads.
#include "../two.h"

static char block[64];
int seen;

static void one(void) { memmove(block + 8, block, 32); }
static void two(void) { seen = block[20]; }

int main(void) {
  run_both(one, two);
  return 0;
}
