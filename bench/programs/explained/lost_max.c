// A maximum is kept by load, compare and store.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
// fix: lock|compare.exchange|one (atomic )?step
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int best;

static void* report(void* arg) {
  int mine = *(int*)arg;
  if (atomic_load(&best) < mine) atomic_store(&best, mine);  // BUG
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int x = 3, y = 9;
  pthread_create(&a, NULL, report, &x);
  pthread_create(&b, NULL, report, &y);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&best) == 9);
  return 0;
}
