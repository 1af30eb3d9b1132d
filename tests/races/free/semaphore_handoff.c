// A semaphore hands the data over and back.
#include "../two.h"

static sem_t there, back;
static int data;

static void one(void) {
  data = 1;
  sem_post(&there);
  sem_wait(&back);
  data++;
}
static void two(void) {
  sem_wait(&there);
  data++;
  sem_post(&back);
}

int main(void) {
  sem_init(&there, 0, 0);
  sem_init(&back, 0, 0);
  run_both(one, two);
  return data == 3 ? 0 : 1;
}
