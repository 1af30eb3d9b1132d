// A sequence lock whose writer counts only when it is through: a reader in the middle sees no change.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: lock|hold|before|one (atomic )?step
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct timebase {
  atomic_uint sequence;
  atomic_long seconds;
  atomic_long nanos;
};

struct instant {
  long seconds, nanos;
};

static struct timebase base;

static void timebase_set(struct timebase* t, long seconds, long nanos) {
  atomic_store(&t->seconds, seconds);  // BUG
  atomic_store(&t->nanos, nanos);      // BUG
  atomic_fetch_add(&t->sequence, 1);
}

static struct instant timebase_get(struct timebase* t) {
  struct instant now;
  unsigned before, after;
  do {
    before = atomic_load(&t->sequence);
    now.seconds = atomic_load(&t->seconds);
    now.nanos = atomic_load(&t->nanos);
    after = atomic_load(&t->sequence);
  } while (before != after);
  return now;
}

static void* ticker(void* arg) {
  (void)arg;
  timebase_set(&base, 1, 1000);
  return NULL;
}

static void* user(void* arg) {
  (void)arg;
  struct instant now = timebase_get(&base);
  assert(now.nanos == now.seconds * 1000);
  return NULL;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, ticker, NULL);
  pthread_create(&u, NULL, user, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
