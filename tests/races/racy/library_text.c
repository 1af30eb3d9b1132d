// What a function of the C library reads for one thread, the other writes.
#include "../two.h"

char text[16] = "abc";
volatile size_t length;

static void one(void) { length = strlen(text); }
static void two(void) { strcpy(text, "abcdef"); }

int main(void) {
  run_both(one, two);
  return 0;
}
