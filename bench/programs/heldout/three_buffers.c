// A driver's ring: base, size and index are changed by "resize" one after the other without the lock that "write" holds.
// heddle-kernel: family=three_buffers kind=assert granularity=access class=race
#include <assert.h>
#include <pthread.h>

static int small[4], large[8];
static int* volatile base = large;
static volatile int size = 8, at = 6;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* resize(void* unused) {
  (void)unused;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  size = 4;
  at = at % 4;
  base = small;  // BUG
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

static void* put(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  int* b = base;
  const int i = at;
  assert(i < (b == small ? 4 : 8) && (b == small) == (size == 4));
  b[i] = 1;
  at = (i + 1) % size;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, put, NULL);
  pthread_create(&b, NULL, resize, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
