// Neighbouring bytes of one word belong to different threads.
#include "../two.h"

struct {
  char a, b, c, d;
} bytes;

static void one(void) {
  bytes.a = 1;
  bytes.c = 2;
}
static void two(void) {
  bytes.b = 3;
  bytes.d = 4;
}

int main(void) {
  run_both(one, two);
  return 0;
}
