// A block is copied while it is written.
#include "../two.h"

char from[64], to[64];  // not static: the optimiser must not know that nobody reads the copy

static void one(void) { memcpy(to, from, sizeof to); }
static void two(void) { from[40] = 1; }

int main(void) {
  run_both(one, two);
  return 0;
}
