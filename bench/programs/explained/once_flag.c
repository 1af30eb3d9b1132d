// A home-made once: the flag says done before the work is done.
// heddle-bug: kind=assert granularity=access class=order set=held
// fix: before|first|wait
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int once;
static int table[4];

static void build(void) {
  for (int i = 0; i < 4; ++i) table[i] = i + 1;
}

static int lookup(int key) {
  if (atomic_exchange(&once, 1) == 0) build();  // BUG
  return table[key];
}

static void* user(void* unused) {
  assert(lookup(3) == 4);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, user, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
