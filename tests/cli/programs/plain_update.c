// A lost update between two plain accesses, without a call in between: out of reach unless the instructions are scheduling points.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static long tally;

static void* add(void* unused) {
  long before = tally;
  tally = before + 1;
  return unused;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  assert(tally == 2);
  return 0;
}
