// A ticket lock that draws its ticket by a load and a store.
// heddle-bug: kind=assert,livelock granularity=access class=atomicity,livelock set=tuned
// fix: one atomic step
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int next_ticket, now_serving;
static atomic_int inside;

static void lock(void) {
  int mine = atomic_load(&next_ticket);
  atomic_store(&next_ticket, mine + 1);  // BUG
  while (atomic_load(&now_serving) != mine) sched_yield();
}
static void unlock(void) { atomic_fetch_add(&now_serving, 1); }

static void* section(void* unused) {
  lock();
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  unlock();
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, section, NULL);
  pthread_create(&b, NULL, section, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
