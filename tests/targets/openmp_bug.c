// Two critical sections where there should be one: an update is lost between them.
// heddle: expect=exit options=-fopenmp preemptions<=1 runs<=200
#include <omp.h>

static int balance;

int main(void) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(2)
  {
    int seen;
#pragma omp critical
    seen = balance;
#pragma omp critical
    balance = seen + 1;
  }
  return balance == 2 ? 0 : 3;
}
