// A try that fails keeps away from the data.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int value;
static void add(void) {
  if (pthread_mutex_trylock(&m) == 0) {
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
