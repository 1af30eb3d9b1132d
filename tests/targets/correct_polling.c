// heddle: expect=none runs<=50
// Long waits that are no livelock: one thread yields, one polls with short sleeps, until a third wakes from a long sleep.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static int is_done(void) {
  pthread_mutex_lock(&lock);
  const int seen = done;
  pthread_mutex_unlock(&lock);
  return seen;
}

static void* yielder(void* unused) {
  (void)unused;
  while (!is_done()) sched_yield();
  return 0;
}

static void* poller(void* unused) {
  (void)unused;
  while (!is_done()) usleep(500);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, yielder, 0);
  pthread_create(&two, 0, poller, 0);
  usleep(20000);
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
