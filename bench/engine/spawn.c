// spawn N PROGRAM ARGUMENTS...: the rival. Starts the program natively so often, one after the other, as a stress loop does, and prints
// what a start took: seconds at the lowest tenth, the median and the highest tenth. PROGRAM "-": a fork of this process that ends at once,
// below which no fork server comes.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

extern char** environ;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(const void* a, const void* b) {
  return *(const double*)a < *(const double*)b ? -1 : *(const double*)a > *(const double*)b;
}

// Cycles in a second.
static double rate(void) {
  const double start = now();
  const unsigned long long first = __rdtsc();
  while (now() - start < 0.05) {
  }
  return (double)(__rdtsc() - first) / (now() - start);
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const int n = atoi(arguments[1]);
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  posix_spawn_file_actions_addopen(&silent, 1, "/dev/null", O_WRONLY, 0);
  double* taken = calloc((size_t)n, sizeof *taken);
  for (int i = 0; i < n; ++i) {
    pid_t child;
    int status;
    const double start = now();
    if (strcmp(arguments[2], "-") == 0) {
      child = fork();
      if (child == 0) _exit(0);
      if (child < 0) return 3;
    } else if (posix_spawn(&child, arguments[2], &silent, 0, arguments + 2, environ) != 0) {
      return 3;
    }
    if (waitpid(child, &status, 0) != child || status != 0) return 4;
    taken[i] = now() - start;
  }
  qsort(taken, (size_t)n, sizeof *taken, compare);
  printf("{\"runs\": %d, \"best\": %.9f, \"p10\": %.9f, \"median\": %.9f, \"p90\": %.9f, \"rate\": %.0f}\n", n, taken[0],
         taken[(n - 1) / 10], taken[(n - 1) / 2], taken[(n - 1) * 9 / 10], rate());
  return 0;
}
