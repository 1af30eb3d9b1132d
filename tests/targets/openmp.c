// OpenMP as gcc makes it: libgomp's threads wait in futex calls of their own, which no function of the C library shows.
// heddle: expect=none runs<=60 options=-fopenmp
#include <omp.h>
#include <stdlib.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

int main(void) {
  omp_set_dynamic(0);
  omp_set_num_threads(3);
  int sum = 0, ordered = 0, single = 0, threads = 0;
  int seen[12] = {0};
#pragma omp parallel
  {
#pragma omp single
    ++single;
#pragma omp for reduction(+ : sum) schedule(dynamic, 1)
    for (int i = 0; i < 12; ++i) {
      sum += i;
      seen[i] = 1;
    }
#pragma omp critical
    ++threads;
#pragma omp barrier
#pragma omp master
    CHECK(threads == omp_get_num_threads() && threads == 3);
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 6; ++i) {
#pragma omp ordered
      CHECK(ordered++ == i);
    }
  }
#pragma omp parallel sections
  {
#pragma omp section
    seen[0] = 2;
#pragma omp section
    seen[1] = 2;
  }
  CHECK(sum == 66 && single == 1 && seen[0] == 2 && seen[1] == 2);
  for (int i = 2; i < 12; ++i) CHECK(seen[i] == 1);
  return 0;
}
