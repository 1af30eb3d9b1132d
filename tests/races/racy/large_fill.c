// A fill of much memory, and one byte in the middle of it.
#include "../two.h"

enum { kSize = 3 << 20 };
static char* block;

static void one(void) { memset(block, 1, kSize); }
static void two(void) { block[2 << 20] = 2; }

int main(void) {
  block = malloc(kSize);
  run_both(one, two);
  return 0;
}
