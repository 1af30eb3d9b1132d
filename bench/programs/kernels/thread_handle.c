// The creator stores the new thread's handle after the creation; the new thread reads its own handle
// from there at once. Fails without any preemption of the creator only if the child runs first.
// Stands for: Mozilla's nsThread order violation (bug 61369, Lu et al. 2008 Fig. 3).
// Ours differs: the handle is an index, and the child's first step looks it up.
// heddle-kernel: family=thread_handle kind=assert granularity=access optimum=1 class=order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct handle {
  atomic_int ready;
  pthread_t id;
};

static struct handle handle;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void* child(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
#endif
  assert(atomic_load(&handle.ready));
  return NULL;
}

int main(void) {
  pthread_t t;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  pthread_create(&t, NULL, child, NULL);
  handle.id = t;
  atomic_store(&handle.ready, 1);  // BUG
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  pthread_join(handle.id, NULL);
  return 0;
}
