// The allocator gives both threads the same memory, one after the other.
#include "../two.h"

static void churn(void) {
  for (int i = 0; i < 8; i++) {
    int* p = malloc(64);
    for (int j = 0; j < 16; j++) p[j] = j;
    free(p);
  }
}

static void one(void) { churn(); }
static void two(void) { churn(); }

int main(void) {
  run_both(one, two);
  return 0;
}
