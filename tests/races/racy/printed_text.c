// A text is changed while it is printed.
#include <stdio.h>

#include "../two.h"

char text[] = "something";
static FILE* out;

static void one(void) { fputs(text, out); }
static void two(void) { text[2] = 'x'; }

int main(void) {
  out = fopen("/dev/null", "w");
  run_both(one, two);
  return 0;
}
