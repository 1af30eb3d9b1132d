// What is wrong lies behind a value that is there between two atomic instructions alone: without a switch at one of them the reader comes
// neither to its two reads nor to its assertion, and no watched run shows them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int open, steps;
static volatile int value;

static void* writer(void* unused) {
  atomic_store(&open, 1);
  atomic_store(&steps, 1);
  value = 1;
  atomic_store(&open, 0);
  return unused;
}

static void* reader(void* unused) {
  if (atomic_load(&open) == 1) {
    const int first = value;
    const int second = value;
    assert(first == second);
  }
  return unused;
}

int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, writer, NULL);
  pthread_create(&t[1], NULL, reader, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
  return 0;
}
