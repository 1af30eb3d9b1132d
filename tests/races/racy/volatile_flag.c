// volatile is no synchronisation.
#include "../two.h"

static volatile int stop;
static int data;
int seen;

static void one(void) {
  data = 1;
  stop = 1;
}
static void two(void) {
  while (!stop) sched_yield();
  seen = data;
}

int main(void) {
  run_both(one, two);
  return 0;
}
