// Linked from two objects, of which plain.c is compiled without instrumentation. Nobody calls unused().
#include <pthread.h>

int plain_work(int* value);

static int shared;

static __attribute__((noinline)) int nothing_to_say(int value) { return value * 3; }
__attribute__((noinline)) int unused(int* value) { return ++*value; }

static void* work(void* unused_argument) {
  shared = nothing_to_say(plain_work(&shared));
  return unused_argument;
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 5) return unused(&shared);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
