// Twenty racing instructions, ten in each of two threads, executed ten times: what a search costs over them. It fails in no schedule.
#include <pthread.h>
#include <stddef.h>

static volatile int cell[10];

static void* write_all(void* unused) {
  for (int i = 0; i < 10; ++i) {
    cell[0] = i;
    cell[1] = i;
    cell[2] = i;
    cell[3] = i;
    cell[4] = i;
    cell[5] = i;
    cell[6] = i;
    cell[7] = i;
    cell[8] = i;
    cell[9] = i;
  }
  return unused;
}

static void* read_all(void* unused) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    sum += cell[0];
    sum += cell[1];
    sum += cell[2];
    sum += cell[3];
    sum += cell[4];
    sum += cell[5];
    sum += cell[6];
    sum += cell[7];
    sum += cell[8];
    sum += cell[9];
  }
  return sum < 0 ? NULL : unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, write_all, NULL);
  pthread_create(&b, NULL, read_all, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
