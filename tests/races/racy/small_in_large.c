// One byte against the whole word that contains it.
#include "../two.h"

union {
  long whole;
  char bytes[8];
} word;

static void one(void) { word.bytes[5] = 1; }
static void two(void) { word.whole = 2; }

int main(void) {
  run_both(one, two);
  return 0;
}
