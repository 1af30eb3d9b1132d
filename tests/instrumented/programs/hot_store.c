// A lost update behind a loop that reads one variable again and again while it stores elsewhere. The store is called often enough to be
// rewritten, the read is not: the loop must not be taken for one that waits, whatever has been rewritten when. The structure that both threads
// store begins with a pointer: the value of that event must be a name, not an address; so
// must that of memory which the kernel placed.
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

static int source = 7, sink[2000], counter;
static struct wide {
  int* where;
  long more[4];
} box;
static const char* mapped;

static __attribute__((noinline)) void put(int i, int value) { sink[i] = value; }

static void* work(void* unused) {
  for (int i = 0; i < 2000; ++i) put(i, i);
  for (int i = 0; i < 100; ++i) put(i, source);
  const struct wide mine = {malloc(8), {1, 2, 3, 4}};
  box = mine;
  mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int seen = counter;
  counter = seen + 1;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return counter != 2;
}
