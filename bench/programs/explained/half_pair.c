// The pointer and its length are set one after the other; a reader sees one of them.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: (one|same) (critical section|lock)|together
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int low = 0, high = 10;

static void* move(void* arg) {
  (void)arg;
  atomic_store(&low, 20);   // BUG
  atomic_store(&high, 30);  // BUG
  return NULL;
}

static void* check(void* arg) {
  (void)arg;
  int a = atomic_load(&low);
  int b = atomic_load(&high);
  assert(a <= b);
  return NULL;
}

int main(void) {
  pthread_t x, y;
  pthread_create(&x, NULL, move, NULL);
  pthread_create(&y, NULL, check, NULL);
  pthread_join(x, NULL);
  pthread_join(y, NULL);
  return 0;
}
