// One thread frees what the other still reads.
#include "../two.h"

static int* block;
int seen;

static void one(void) { seen = block[1]; }
static void two(void) { free(block); }

int main(void) {
  block = calloc(4, sizeof *block);
  run_both(one, two);
  return 0;
}
