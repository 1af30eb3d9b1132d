// A condition is destroyed by one thread while the other may still signal it.
#include "../two.h"

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void one(void) { pthread_cond_signal(&condition); }
static void two(void) { pthread_cond_destroy(&condition); }

int main(void) {
  run_both(one, two);
  return 0;
}
