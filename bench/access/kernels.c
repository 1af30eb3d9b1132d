// Single-threaded kernels with nothing but memory accesses, to see what an announced access costs.
// usage: kernels NAME ROUNDS; prints the nanoseconds that the kernel alone had of a processor. Asked of the operating system itself: the C
// library's clock may be a virtual one.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define SIZE 4096

static uint32_t state = 1;
static uint32_t chance(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static int numbers[SIZE];
static void sort_range(int* at, int low, int high) {
  while (low < high) {
    const int pivot = at[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (at[i] < pivot) ++i;
      while (at[j] > pivot) --j;
      if (i <= j) {
        const int t = at[i];
        at[i++] = at[j];
        at[j--] = t;
      }
    }
    if (j - low < high - i) {
      sort_range(at, low, j);
      low = i;
    } else {
      sort_range(at, i, high);
      high = j;
    }
  }
}
static uint64_t sort(void) {
  for (int i = 0; i < SIZE; ++i) numbers[i] = (int)chance();
  sort_range(numbers, 0, SIZE - 1);
  return (uint64_t)numbers[SIZE / 2];
}

struct slot {
  uint32_t key, value;
};
static struct slot table[2 * SIZE];
static uint64_t hash(void) {
  memset(table, 0, sizeof table);
  uint64_t sum = 0;
  for (int i = 0; i < 2 * SIZE; ++i) {
    const uint32_t key = chance() % SIZE + 1;
    uint32_t at = key * 2654435761u % (2 * SIZE);
    while (table[at].key != 0 && table[at].key != key) at = (at + 1) % (2 * SIZE);
    table[at].key = key;
    sum += ++table[at].value;
  }
  return sum;
}

#define SIDE 48
static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];
static uint64_t matrix(void) {
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) left[i][j] = i + j, right[i][j] = i - j;
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      double sum = 0;
      for (int k = 0; k < SIDE; ++k) sum += left[i][k] * right[k][j];
      product[i][j] = sum;
    }
  return (uint64_t)product[3][5];
}

struct node {
  struct node* next;
  uint64_t value;
};
static struct node nodes[SIZE];
static uint64_t list(void) {
  for (int i = 0; i < SIZE; ++i) nodes[i] = (struct node){&nodes[(i * 17 + 5) % SIZE], (uint64_t)i};
  uint64_t sum = 0;
  const struct node* at = nodes;
  for (int i = 0; i < 4 * SIZE; ++i) sum += at->value, at = at->next;
  return sum;
}

static unsigned char text[4 * SIZE], counts[256];
static uint64_t bytes(void) {
  for (int i = 0; i < 4 * SIZE; ++i) text[i] = (unsigned char)(i * 7);
  memset(counts, 0, sizeof counts);
  for (int i = 0; i < 4 * SIZE; ++i) {
    unsigned char c = text[i];
    if (c >= 'a' && c <= 'z') text[i] = c = (unsigned char)(c - 32);
    ++counts[c];
  }
  return counts[65];
}

static const struct {
  const char* name;
  uint64_t (*run)(void);
} kernels[] = {{"sort", sort}, {"hash", hash}, {"matrix", matrix}, {"list", list}, {"bytes", bytes}};

static unsigned long long now(void) {
  struct timespec t;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_clock_gettime), "D"(CLOCK_THREAD_CPUTIME_ID), "S"(&t) : "rcx", "r11", "memory");
  return result == 0 ? (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec : 0;
}

static uint64_t sum;
static int rounds;
static uint64_t (*chosen)(void);
static unsigned long long taken;
static void* work(void* unused) {
  for (int i = 0; i < 2; ++i) sum += chosen();  // what is paid once
  const unsigned long long start = now();
  for (int i = 0; i < rounds; ++i) sum += chosen();
  taken = now() - start;
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
    if (strcmp(kernels[i].name, argv[1]) == 0) chosen = kernels[i].run;
  }
  if (chosen == NULL) return 2;
  rounds = atoi(argv[2]);
  pthread_t thread;  // in a thread: a program without any is not controlled
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  printf("%llu %llu\n", taken, (unsigned long long)sum);
  return 0;
}
