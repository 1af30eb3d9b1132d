// A block is copied while it is written.
#include "../two.h"

static char from[64], to[64];

static void one(void) { memcpy(to, from, sizeof to); }
static void two(void) { from[40] = 1; }

int main(void) {
  run_both(one, two);
  return 0;
}
