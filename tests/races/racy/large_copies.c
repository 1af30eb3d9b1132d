// Two copies of much memory that meet in a few bytes.
#include "../two.h"

enum { kSize = 1 << 20 };
char block[2 * kSize], from[kSize + 16];

static void one(void) { memcpy(block, from, kSize + 16); }
static void two(void) { memcpy(block + kSize, from, kSize); }

int main(void) {
  run_both(one, two);
  return 0;
}
