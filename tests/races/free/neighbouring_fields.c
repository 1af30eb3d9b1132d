// Fields of different sizes side by side.
#include "../two.h"

struct {
  short a;
  char b, c;
  int d;
} f;

static void one(void) {
  f.a = 1;
  f.c = 3;
}
static void two(void) {
  f.b = 2;
  f.d = 4;
}

int main(void) {
  run_both(one, two);
  return 0;
}
