// A descriptor is closed while another thread may still be writing to it.
#include <unistd.h>

#include "../two.h"

static int ends[2];

static void one(void) { (void)!write(ends[1], "a", 1); }
static void two(void) { close(ends[1]); }

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_both(one, two);
  return 0;
}
