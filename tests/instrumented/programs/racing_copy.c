// Ends with 1 when the plain copy of a function that only computes has run, with 2 when that of a function with a race has, 3 for both. Built
// so that all instrumented functions lie before `last`, all plain ones behind it.
#include <pthread.h>
#include <stddef.h>

static int numbers[2][400];
static long shared_sum;
static char* boundary;

__attribute__((noinline)) int called_from_plain(void) { return (char*)__builtin_return_address(0) > boundary; }

__attribute__((noinline)) int computes(int* at) {
  for (int i = 0; i < 400; ++i) at[i] += i;
  return called_from_plain();
}

__attribute__((noinline)) int races(int* at) {
  for (int i = 0; i < 400; ++i) at[i] += i;
  ++shared_sum;
  return called_from_plain();
}

static int plain[2];
static void* work(void* number) {
  int* mine = numbers[(int*)number - plain];
  int seen = 0;
  for (int i = 0; i < 2; ++i) seen |= computes(mine) | races(mine) << 1;
  *(int*)number = seen;
  return NULL;
}

void last(void) { numbers[0][1] = 0; }

int main(void) {
  boundary = (char*)&last;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &plain[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return plain[0] | plain[1];
}
