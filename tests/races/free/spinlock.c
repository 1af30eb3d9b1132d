// A pthread spin lock.
#include "../two.h"

static pthread_spinlock_t lock;
int value;
static void add(void) {
  pthread_spin_lock(&lock);
  value++;
  pthread_spin_unlock(&lock);
}

static void one(void) { add(); }
static void two(void) { add(); }

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_both(one, two);
  return 0;
}
