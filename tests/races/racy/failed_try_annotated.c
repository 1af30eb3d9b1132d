// A try that fails orders nothing: the atomic inside of the lock is not the program's synchronisation.
#include "../own_lock.h"

static int value;

static void one(void) {
  own_take();
  ++value;
  own_give();
  own_take();
  for (int i = 0; i < 20; ++i) sched_yield();
  own_give();
}
static void two(void) {
  for (int i = 0; i < 8; ++i) {
    sched_yield();
    if (!own_try()) {
      ++value;
      return;
    }
    own_give();
  }
}

int main(void) {
  run_both(one, two);
  return 0;
}
