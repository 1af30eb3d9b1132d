// Detached threads use the same stack one after the other; nothing orders them but the count.
#include "../two.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void touch(volatile int* place) { *place = 1; }

static void* work(void* nothing) {
  volatile int local[32];
  for (int i = 0; i < 32; i++) touch((volatile int*)&local[i]);
  pthread_mutex_lock(&m);
  done++;
  pthread_mutex_unlock(&m);
  return nothing;
}

int main(void) {
  for (int i = 0; i < 6; i++) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
  }
  for (int all = 0; !all;) {
    pthread_mutex_lock(&m);
    all = done == 6;
    pthread_mutex_unlock(&m);
    sched_yield();
  }
  return 0;
}
