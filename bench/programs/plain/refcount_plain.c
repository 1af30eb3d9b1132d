// References are counted without an atomic operation: both threads may see that they are the last, or neither.
// heddle-bug: kind=assert,abort,misuse granularity=access class=atomicity,race set=tuned
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct block {
  int references;
  char data[24];
};
static struct block* shared;
static int freed;

static void* drop(void* arg) {
  (void)arg;
  struct block* b = shared;
  int left = b->references - 1;  // BUG
  b->references = left;          // BUG
  if (left == 0) __atomic_fetch_add(&freed, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  shared = calloc(1, sizeof *shared);
  shared->references = 2;
  pthread_create(&a, NULL, drop, NULL);
  pthread_create(&b, NULL, drop, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(freed == 1);
  free(shared);
  return 0;
}
