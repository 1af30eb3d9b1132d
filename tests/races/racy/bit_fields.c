// Two bit-fields share a byte: writing one rewrites the other.
#include "../two.h"

struct {
  unsigned a : 3, b : 5;
} bits;

static void one(void) { bits.a = 1; }
static void two(void) { bits.b = 2; }

int main(void) {
  run_both(one, two);
  return 0;
}
