// Joining a thread that has detached itself is EINVAL; so is a mask of processors that are not there.
// heddle: expect=none runs<=50 flags="--no-timing"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static void* run(void* unused) {
  pthread_detach(pthread_self());
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  usleep(1000);
  assert(pthread_join(thread, NULL) == EINVAL);
  cpu_set_t none;
  CPU_ZERO(&none);
  CPU_SET(CPU_SETSIZE - 1, &none);
  assert(sched_setaffinity(0, sizeof none, &none) == -1 && errno == EINVAL);
  return 0;
}
