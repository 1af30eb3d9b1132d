// Blocks grow and move, each in one thread only.
#include "../two.h"

static void grow(void) {
  char* p = NULL;
  for (size_t n = 1; n < 5000; n *= 3) {
    p = realloc(p, n);
    p[n - 1] = 1;
  }
  free(p);
}

static void one(void) { grow(); }
static void two(void) { grow(); }

int main(void) {
  run_both(one, two);
  return 0;
}
