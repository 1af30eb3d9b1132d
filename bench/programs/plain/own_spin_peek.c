// A spinlock of the program's own, and one path that looks at the balance without it.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
#include <assert.h>
#include <pthread.h>

static int locked;
static int balance = 100, reserve = 100;

static void lock(void) {
  while (__sync_lock_test_and_set(&locked, 1) != 0) {
  }
}
static void unlock(void) { __sync_lock_release(&locked); }

static void* move(void* arg) {
  (void)arg;
  lock();
  balance -= 30;  // BUG
  reserve += 30;  // BUG
  unlock();
  return NULL;
}

static void* audit(void* arg) {
  (void)arg;
  int all = balance;  // BUG
  all += reserve;     // BUG
  assert(all == 200);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, move, NULL);
  pthread_create(&b, NULL, audit, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
