// A byte through a pipe hands the data over.
#include <unistd.h>

#include "../two.h"

static int ends[2];
static int data;
int seen;

static void one(void) {
  data = 1;
  if (write(ends[1], "x", 1) != 1) abort();
}
static void two(void) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) abort();
  seen = data;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_both(one, two);
  return seen == 1 ? 0 : 1;
}
