// A merge sort whose halves are sorted by threads.
#include <pthread.h>
#include <string.h>

#include "machines.h"

enum { kThreads = 4, kNumbers = 4096, kPart = kNumbers / kThreads };
static int numbers[kNumbers], spare[kNumbers];

static void merge(int from, int middle, int to) {
  int i = from, j = middle;
  for (int k = from; k < to; ++k) spare[k] = i < middle && (j >= to || numbers[i] <= numbers[j]) ? numbers[i++] : numbers[j++];
  memcpy(numbers + from, spare + from, sizeof(int) * (size_t)(to - from));
}

static void* sort_part(void* argument) {
  const int me = (int)(long)argument;
  const int from = me * kPart;
  point(0, me);
  for (int width = 1; width < kPart; width *= 2) {
    point(1, me);
    for (int i = from; i + width < from + kPart; i += 2 * width) {
      merge(i, i + width, i + 2 * width < from + kPart ? i + 2 * width : from + kPart);
      if (width >= kPart / 8) point(2, me);
      if (i == from) point(3, me);
    }
    point(4, me);
    if (width == kPart / 4) point(5, me);
    point(6, me);
  }
  for (int i = 0; i < 3; ++i) point(7, me);
  return NULL;
}

int main(int argc, char** argv) {
  arm(argc > 1 ? atoi(argv[1]) : 0, kThreads);
  unsigned seed = 1;
  for (int i = 0; i < kNumbers; ++i) numbers[i] = (int)next_number(&seed);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, sort_part, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int width = kPart; width < kNumbers; width *= 2) {
    for (int i = 0; i < kNumbers; i += 2 * width) merge(i, i + width, i + 2 * width);
  }
  for (int i = 1; i < kNumbers; ++i) {
    if (numbers[i - 1] > numbers[i]) return 1;
  }
  return 0;
}
