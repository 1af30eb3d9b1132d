// What pthread_once initialises is read by both.
#include "../two.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
int value;
static __thread int seen;

static void initialise(void) { value = 1; }
static void work(void) {
  pthread_once(&once, initialise);
  seen = value;
}

int main(void) {
  run_both(work, work);
  return 0;
}
