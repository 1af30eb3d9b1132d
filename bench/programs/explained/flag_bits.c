// Two flags in one word are set under two different locks.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=held
// fix: same lock|one lock|atomic
#include <assert.h>
#include <pthread.h>

#define DIRTY 1u
#define PINNED 2u
struct page {
  pthread_mutex_t dirty_lock, pin_lock;
  unsigned flags;
};
static struct page p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0};

static void* dirty(void* unused) {
  pthread_mutex_lock(&p.dirty_lock);
  p.flags |= DIRTY;  // BUG
  pthread_mutex_unlock(&p.dirty_lock);
  return unused;
}
static void* pin(void* unused) {
  pthread_mutex_lock(&p.pin_lock);
  p.flags |= PINNED;  // BUG
  pthread_mutex_unlock(&p.pin_lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, dirty, NULL);
  pthread_create(&b, NULL, pin, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(p.flags == (DIRTY | PINNED));
  return 0;
}
