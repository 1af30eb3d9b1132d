// Double-checked locking that publishes the object before its field is set: a thread that takes the
// fast path reads the field of a half-made object.
// Stands for: the broken double-checked locking pattern (Bacon et al., "Double-checked locking is broken").
// Ours differs: broken by program order, so it fails under sequential consistency too.
// heddle-kernel: family=double_checked kind=assert granularity=access optimum=1 class=order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct config {
  atomic_int limit;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config storage;
static _Atomic(struct config*) shared;

static struct config* get(void) {
  struct config* c = atomic_load(&shared);
  if (c) return c;
  pthread_mutex_lock(&lock);
  c = atomic_load(&shared);
  if (!c) {
    c = &storage;
#ifdef FIXED
    atomic_store(&c->limit, 10);
    atomic_store(&shared, c);
#else
    atomic_store(&shared, c);  // BUG
    atomic_store(&c->limit, 10);
#endif
  }
  pthread_mutex_unlock(&lock);
  return c;
}

static void* use(void* arg) {
  (void)arg;
  assert(atomic_load(&get()->limit) == 10);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, use, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
