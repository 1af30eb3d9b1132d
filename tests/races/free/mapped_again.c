// Memory that one thread has unmapped comes back to the other.
#include <sys/mman.h>

#include "../two.h"

static void one(void) {
  for (int i = 0; i < 3; ++i) {
    int* page = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) exit(1);
    *page = i;
    sched_yield();
    munmap(page, 1 << 16);
  }
}

int main(void) {
  run_both(one, one);
  return 0;
}
