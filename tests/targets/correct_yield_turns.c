// heddle: expect=none runs<=4
// Thousands of turns that only yield, as far as anybody sees, and end by a count in memory.
#include <pthread.h>
#include <sched.h>

static int turns[2];

static void* count(void* mine) {
  int* n = mine;
  while (*n < 2800) {
    ++*n;
    sched_yield();
  }
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, count, &turns[0]);
  pthread_create(&two, 0, count, &turns[1]);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return turns[0] != 2800 || turns[1] != 2800;
}
