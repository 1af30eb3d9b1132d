// A lock is made by one thread and used by the other, and only a sleep is between them.
#include "../two.h"

static pthread_rwlock_t lock;

static void one(void) { pthread_rwlock_init(&lock, NULL); }
static void two(void) {
  nanosleep(&(struct timespec){0, 1000000}, NULL);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
}

int main(void) {
  run_both(one, two);
  return 0;
}
