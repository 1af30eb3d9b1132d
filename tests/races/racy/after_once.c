// The initialisation runs once, but each side changes the result afterwards.
#include "../two.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void initialise(void) { value = 1; }
static void work(void) {
  pthread_once(&once, initialise);
  value++;
}

int main(void) {
  run_both(work, work);
  return 0;
}
