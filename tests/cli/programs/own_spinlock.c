// A lock made of atomic instructions, and a check that is no longer true when it is used: the lock is given back in between. No call of the
// library lies between the two.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int lock;
static int places = 1;
static int taken;

static void enter(void) {
  int free_lock = 0;
  while (!atomic_compare_exchange_weak(&lock, &free_lock, 1)) free_lock = 0;
}
static void leave(void) { atomic_store_explicit(&lock, 0, memory_order_release); }

static void* book(void* unused) {
  enter();
  int left = places;
  leave();
  if (left > 0) {
    enter();
    --places;
    ++taken;
    leave();
  }
  return unused;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], NULL, book, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  assert(taken == 1);
  return 0;
}
