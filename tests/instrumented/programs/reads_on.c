// A thread reads a block over and over at one place, and goes on after main has freed it; the size is the argument.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t begun, freed;
static int* block;
static int size;

static int sum(void) {
  int total = 0;
  for (int round = 0; round < 400; ++round) total += block[size - 1];
  return total;
}

static void* reader(void* unused) {
  sem_post(&begun);
  int total = sum();
  sem_wait(&freed);
  total += sum();  // the same site, and nothing released since it read last
  return total == 0 ? unused : NULL;
}

int main(int argc, char** argv) {
  size = argc > 1 ? atoi(argv[1]) : 1;
  block = calloc((size_t)size, sizeof *block);
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  sem_wait(&begun);
  free(block);
  sem_post(&freed);
  return pthread_join(thread, NULL);
}
