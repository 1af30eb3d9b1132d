// Readers read, writers write.
#include "../two.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value;
int seen;

static void one(void) {
  pthread_rwlock_wrlock(&lock);
  value++;
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_rdlock(&lock);
  (void)value;
  pthread_rwlock_unlock(&lock);
}
static void two(void) {
  pthread_rwlock_rdlock(&lock);
  int got = value;
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_wrlock(&lock);
  value += got;
  pthread_rwlock_unlock(&lock);
}

int main(void) {
  run_both(one, two);
  return 0;
}
