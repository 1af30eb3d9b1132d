// The result is read before the thread that computes it is joined.
#include "../two.h"

int result;  // not static: the optimiser must not know every value it can have

static void* compute(void* nothing) {
  result = 42;
  return nothing;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, compute, NULL);
  const int early = result;
  pthread_join(t, NULL);
  return early == 7;
}
