// A shared library that keeps a count without a lock, and a program that calls it from two threads. Built twice: with LIBRARY as the library.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
#ifdef LIBRARY
static int uses;
int library_use(void) {
  int now = uses + 1;  // BUG
  uses = now;          // BUG
  return now;
}
#else
#include <assert.h>
#include <pthread.h>
int library_use(void);

static void* call(void* arg) {
  (void)arg;
  library_use();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, call, NULL);
  pthread_create(&b, NULL, call, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(library_use() == 3);
  return 0;
}
#endif
