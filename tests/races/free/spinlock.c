// A pthread spin lock.
#include "../two.h"

static pthread_spinlock_t lock;
static int value;
static void add(void) {
  pthread_spin_lock(&lock);
  value++;
  pthread_spin_unlock(&lock);
}

static void one(void) {
  add();
}
static void two(void) {
  add();
}

int main(void) {
  run_both(one, two);
  return 0;
}
