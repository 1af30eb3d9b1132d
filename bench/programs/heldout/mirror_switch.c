// A part that is late is asked of a second mirror; both answers arrive, and the second look at "already there" was before the first was stored.
// heddle-kernel: family=mirror_switch kind=assert granularity=access class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kParts = 2 };
static atomic_int have[kParts], stored;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* mirror(void* argument) {
  const int reverse = (int)(long)argument;
  for (int i = 0; i < kParts; ++i) {
    const int part = reverse ? kParts - 1 - i : i;
#ifdef FIXED
    if (atomic_exchange(&have[part], 1)) continue;
#else
    if (atomic_load(&have[part])) continue;  // BUG
    atomic_store(&have[part], 1);
#endif
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&stored, 1);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, mirror, (void*)0);
  pthread_create(&b, NULL, mirror, (void*)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&stored) == kParts);
  return 0;
}
