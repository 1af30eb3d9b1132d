// A connection is closed and freed while a timer callback holds a plain pointer to it; the closer
// cancels the timer but does not wait for a callback that is already running.
// Stands for: the cancel-without-synchronise use-after-free (del_timer against del_timer_sync) of kernel CVEs.
// Ours differs: the freed connection is poisoned first, and the callback checks what it reads.
// heddle-kernel: family=uaf_timer kind=assert granularity=sync optimum=1 class=uaf
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { kAlive = 0x600d, kDead = 0xdead };

struct connection {
  atomic_int state;
};

static pthread_mutex_t timer_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static struct connection* armed;
static bool running;
static int ticks;

static void* timer(void* arg) {
  (void)arg;
  pthread_mutex_lock(&timer_lock);
  struct connection* c = armed;
  running = c != NULL;
  pthread_mutex_unlock(&timer_lock);
  if (!c) return NULL;
  pthread_mutex_lock(&stats_lock);
  ticks++;
  pthread_mutex_unlock(&stats_lock);
  assert(atomic_load(&c->state) == kAlive);
  pthread_mutex_lock(&timer_lock);
  running = false;
  pthread_cond_signal(&idle);
  pthread_mutex_unlock(&timer_lock);
  return NULL;
}

static struct connection pool[1];  // a pool, so that a stale pointer still points at memory of ours

static void* closer(void* arg) {
  (void)arg;
  pthread_mutex_lock(&timer_lock);
  struct connection* c = armed;
  armed = NULL;
#ifdef FIXED
  while (running) pthread_cond_wait(&idle, &timer_lock);
#endif
  pthread_mutex_unlock(&timer_lock);  // BUG
  atomic_store(&c->state, kDead);
  return NULL;
}

int main(void) {
  pthread_t t, c;
  armed = &pool[0];
  atomic_store(&armed->state, kAlive);
  pthread_create(&t, NULL, timer, NULL);
  pthread_create(&c, NULL, closer, NULL);
  pthread_join(t, NULL);
  pthread_join(c, NULL);
  return 0;
}
