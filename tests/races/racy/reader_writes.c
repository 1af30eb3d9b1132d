// Both hold the read lock, and one writes.
#include "../two.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;
int seen;

static void one(void) {
  pthread_rwlock_rdlock(&lock);
  value = 1;
  pthread_rwlock_unlock(&lock);
}
static void two(void) {
  pthread_rwlock_rdlock(&lock);
  seen = value;
  pthread_rwlock_unlock(&lock);
}

int main(void) {
  run_both(one, two);
  return 0;
}
