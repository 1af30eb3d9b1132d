// A floating-point value.
#include "../two.h"

static double value;

static void one(void) { value = 1.5; }
static void two(void) { value += 2; }

int main(void) {
  run_both(one, two);
  return 0;
}
