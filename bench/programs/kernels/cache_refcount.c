// A cache entry's reference count is decremented atomically and then looked at again: two threads that
// drop the last two references both find zero and both free the entry.
// Stands for: Apache httpd bug 21287 (mod_mem_cache decrement-and-check), a row of ConSeq, CTrigger and others.
// Ours differs: freeing is counted, so the failure is an assertion.
// heddle-kernel: family=cache_refcount kind=assert granularity=access optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int references = 2;
static atomic_int freed;

static void* drop(void* arg) {
  (void)arg;
#ifdef FIXED
  int left = atomic_fetch_sub(&references, 1) - 1;
#else
  atomic_fetch_sub(&references, 1);
  int left = atomic_load(&references);  // BUG
#endif
  if (left == 0) {
    int before = atomic_fetch_add(&freed, 1);
    assert(before == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, drop, NULL);
  pthread_create(&b, NULL, drop, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&freed) == 1);
  return 0;
}
