// A structure is assigned as a whole.
#include "../two.h"

struct big {
  long a[6];
};
struct big value, other;

static void one(void) { value = other; }
static void two(void) { value.a[5] = 1; }

int main(void) {
  run_both(one, two);
  return 0;
}
