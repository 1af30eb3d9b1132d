// The address of a mapping is handed on without any order.
#include <sys/mman.h>

#include "../two.h"

static int* page;

static void one(void) {
  void* made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) exit(1);
  __atomic_store_n(&page, (int*)made, __ATOMIC_RELAXED);
}
static void two(void) {
  int* found;
  while ((found = __atomic_load_n(&page, __ATOMIC_RELAXED)) == NULL) sched_yield();
  *found = 7;
}

int main(void) {
  run_both(one, two);
  return *page != 7;
}
