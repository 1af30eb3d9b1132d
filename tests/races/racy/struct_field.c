// The same field through a pointer.
#include "../two.h"

struct pair {
  int a, b;
};
static struct pair p;
static struct pair* volatile q = &p;

static void one(void) { q->b = 1; }
static void two(void) { q->b = 2; }

int main(void) {
  run_both(one, two);
  return 0;
}
