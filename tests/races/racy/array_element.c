// The same element of an array; the others are private.
#include "../two.h"

long cells[8];

static void one(void) {
  cells[0] = 1;
  cells[3] = 1;
}
static void two(void) {
  cells[5] = 1;
  cells[3] = 2;
}

int main(void) {
  run_both(one, two);
  return 0;
}
