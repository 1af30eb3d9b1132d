// A function without a result, called through a pointer to one with a result, as x264 does for the jobs of its threads.
#include <pthread.h>
#include <stdio.h>

static int work;
__attribute__((noinline)) static void job(void* unused) { work += unused == NULL; }

static long seen;
static void* run(void* unused) {
  long (*volatile function)(void*) = (long (*)(void*))(void (*)(void))job;
  for (int i = 0; i < 1000; ++i) seen |= function(unused);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  printf("%ld %d\n", seen, work);
  return 0;
}
