// Two increments without any order.
#include "../two.h"

static int counter;

static void one(void) { counter++; }
static void two(void) { counter++; }

int main(void) {
  run_both(one, two);
  return 0;
}
