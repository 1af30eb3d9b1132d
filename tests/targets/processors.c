// The processors that a program sees are the same before and after it creates threads, in a search as in a plain run.
// heddle: expect=none runs<=30
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static cpu_set_t at_start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* compare(void* arg) {
  cpu_set_t now;
  pthread_mutex_lock(&lock);
  assert(sched_getaffinity(0, sizeof now, &now) == 0);
  assert(CPU_EQUAL(&now, &at_start));
  assert(pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0);
  assert(CPU_EQUAL(&now, &at_start));
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void) {
  pthread_t a, b;
  assert(sched_getaffinity(0, sizeof at_start, &at_start) == 0);
  assert(CPU_COUNT(&at_start) > 0);
  pthread_create(&a, NULL, compare, NULL);
  pthread_create(&b, NULL, compare, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
