// Each thread has a half of the array.
#include "../two.h"

long cells[16];

static void one(void) {
  for (int i = 0; i < 8; i++) cells[i]++;
}
static void two(void) {
  for (int i = 8; i < 16; i++) cells[i]++;
}

int main(void) {
  run_both(one, two);
  return 0;
}
