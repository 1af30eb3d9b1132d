// A pointer is replaced while it is read.
#include "../two.h"

static int a, b;
static int* p = &a;
int seen;

static void one(void) { p = &b; }
static void two(void) { seen = *p; }

int main(void) {
  run_both(one, two);
  return 0;
}
