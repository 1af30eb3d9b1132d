// libgomp lets any thread give a lock back: the last of several readers gives back what the first one took.
// heddle: expect=none runs<=40 options=-fopenmp
#include <omp.h>
#include <stdlib.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static omp_lock_t counter, writer;
static int readers, written;

static void read_once(void) {
  omp_set_lock(&counter);
  if (++readers == 1) omp_set_lock(&writer);
  omp_unset_lock(&counter);
  const int seen = written;
  omp_set_lock(&counter);
  CHECK(seen == written);
  if (--readers == 0) omp_unset_lock(&writer);
  omp_unset_lock(&counter);
}

int main(void) {
  omp_set_dynamic(0);
  omp_init_lock(&counter);
  omp_init_lock(&writer);
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&writer);
      ++written;
      omp_unset_lock(&writer);
    } else {
      read_once();
    }
  }
  CHECK(written == 1 && readers == 0);
  CHECK(omp_test_lock(&writer) && !omp_test_lock(&writer));
  omp_unset_lock(&writer);
  omp_unset_lock(&writer);
  CHECK(omp_test_lock(&writer) && !omp_test_lock(&writer));
  return 0;
}
