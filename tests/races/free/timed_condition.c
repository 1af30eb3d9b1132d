// The same with a wait that may time out.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data;
int seen;

static void one(void) {
  data = 1;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
}
static void two(void) {
  pthread_mutex_lock(&m);
  while (!ready) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 1000;
    if (t.tv_nsec >= 1000000000) {
      t.tv_sec++;
      t.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&c, &m, &t);
  }
  pthread_mutex_unlock(&m);
  seen = data;
}

int main(void) {
  run_both(one, two);
  return 0;
}
