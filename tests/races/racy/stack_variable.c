// A local variable of main is shared by address.
#include "../two.h"

static int* shared;

static void one(void) { (*shared)++; }
static void two(void) { (*shared)++; }

int main(void) {
  int local = 0;
  shared = &local;
  run_both(one, two);
  return 0;
}
