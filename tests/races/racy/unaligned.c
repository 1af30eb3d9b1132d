// Unaligned fields that overlap in one byte.
#include "../two.h"

struct __attribute__((packed)) {
  char pad;
  int a;
} u;

static void one(void) { u.a = 1; }
static void two(void) { ((char*)&u)[2] = 2; }

int main(void) {
  run_both(one, two);
  return 0;
}
