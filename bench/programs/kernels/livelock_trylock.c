// Two threads each take their own lock and try the other's; on failure they are meant to let go, but
// the retry loop keeps the first lock, so both retry for ever.
// Stands for: the trylock-retry livelock of Farchi-style bug patterns and of several JDK reports.
// Ours differs: the retry yields, so a fair scheduler sees an endless loop rather than a blocked thread.
// heddle-kernel: family=livelock kind=livelock granularity=sync optimum=1 class=livelock
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int transfers;

static void* transfer(void* arg) {
  int mine = *(int*)arg, other = 1 - mine;
#ifdef FIXED
  // One order for all: no retry is needed at all.
  pthread_mutex_lock(&lock[0]);
  pthread_mutex_lock(&lock[1]);
#else
  pthread_mutex_lock(&lock[mine]);
  while (pthread_mutex_trylock(&lock[other]) != 0) sched_yield();  // BUG
#endif
  transfers++;
  pthread_mutex_unlock(&lock[other]);
  pthread_mutex_unlock(&lock[mine]);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int id[2] = {0, 1};
  pthread_create(&a, NULL, transfer, &id[0]);
  pthread_create(&b, NULL, transfer, &id[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return transfers != 2;
}
