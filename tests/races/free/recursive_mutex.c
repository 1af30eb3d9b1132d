// A recursive mutex is free only after its last unlock.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int value;
static void add(void) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  value++;
  pthread_mutex_unlock(&m);
  value++;
  pthread_mutex_unlock(&m);
}

static void one(void) { add(); }
static void two(void) { add(); }

int main(void) {
  run_both(one, two);
  return 0;
}
