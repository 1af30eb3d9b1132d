// Every access under one mutex.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int value;
static void add(void) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    value++;
    pthread_mutex_unlock(&m);
  }
}

static void one(void) { add(); }
static void two(void) { add(); }

int main(void) {
  run_both(one, two);
  return 0;
}
