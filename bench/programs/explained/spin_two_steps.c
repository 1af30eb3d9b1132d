// A home-made lock that looks and sets in two steps.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: locked.*exchange
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int locked;
static int balance;

static void spin_lock(void) {
  while (atomic_load(&locked)) sched_yield();  // BUG
  atomic_store(&locked, 1);
}
static void spin_unlock(void) { atomic_store(&locked, 0); }

static void* deposit(void* unused) {
  spin_lock();
  int b = balance;
  balance = b + 10;
  spin_unlock();
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, deposit, NULL);
  pthread_create(&b, NULL, deposit, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(balance == 20);
  return 0;
}
