// The semaphore is posted before the data is written.
#include "../two.h"

static sem_t ready;
static int data;
int seen;

static void one(void) {
  sem_post(&ready);
  data = 1;
}
static void two(void) {
  sem_wait(&ready);
  seen = data;
}

int main(void) {
  sem_init(&ready, 0, 0);
  run_both(one, two);
  return 0;
}
