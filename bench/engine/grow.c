// grow THREADS ROUNDS MEGABYTES: touches the memory, then so many threads lock and unlock so often, each its own mutex. Prints how many
// processor cycles the threads took from the first creation to the last join: the counter is the machine's own, also under control.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

struct Part {
  pthread_mutex_t lock;
  pthread_t thread;
  long sum;
  char apart[64];
};
static long rounds;

static void* add(void* argument) {
  struct Part* part = argument;
  for (long i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&part->lock);
    ++part->sum;
    pthread_mutex_unlock(&part->lock);
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const long n = atol(arguments[1]);
  const size_t bytes = (size_t)atol(arguments[3]) << 20;
  rounds = atol(arguments[2]);
  char* memory = malloc(bytes + 1);
  struct Part* parts = calloc((size_t)n, sizeof *parts);
  if (memory == 0 || parts == 0) return 2;
  memset(memory, 1, bytes + 1);
  unsigned long long start = 0;
  for (long i = 0; i < n; ++i) {
    pthread_mutex_init(&parts[i].lock, 0);
    if (pthread_create(&parts[i].thread, 0, add, &parts[i]) != 0) return 3;
    if (i == 0) start = __rdtsc();  // under control, the first creation is where executions begin
  }
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    pthread_join(parts[i].thread, 0);
    sum += parts[i].sum;
  }
  printf("%llu\n", __rdtsc() - start);
  return sum == n * rounds && memory[bytes] == 1 ? 0 : 1;
}
