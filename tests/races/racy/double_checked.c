// The flag of a double-checked initialisation is read outside of the lock.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, data;
static __thread int seen_by_thread;
static void get(void) {
  if (!ready) {
    pthread_mutex_lock(&m);
    if (!ready) {
      data = 7;
      ready = 1;
    }
    pthread_mutex_unlock(&m);
  }
  seen_by_thread = data;
}

static void one(void) { get(); }
static void two(void) { get(); }

int main(void) {
  run_both(one, two);
  return 0;
}
