// verify: fixed
// Tries until it has it.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

struct stat {
  pthread_mutex_t lock;
  int hits;
  int total;
  int busy;
};
static struct stat stat = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0};

static void hit(int n) {
  int got;
  while ((got = pthread_mutex_trylock(&stat.lock)) != 0) sched_yield();
  assert(++stat.busy == 1);
  stat.hits += n;
  stat.total++;
  pthread_testcancel();
  pthread_mutex_t* mine = &stat.lock;
  --stat.busy;
  if (got == 0) pthread_mutex_unlock(mine);
}

static void* worker(void* arg) {
  hit((int)(long)arg);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, (void*)1L);
  pthread_create(&b, NULL, worker, (void*)2L);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return stat.total == 2 ? 0 : 1;
}
