// Copies and fills of neighbouring halves.
#include "../two.h"

char block[64], from[64];

static void one(void) { memcpy(block, from, 31); }
static void two(void) { memset(block + 31, 1, 33); }

int main(void) {
  run_both(one, two);
  return 0;
}
