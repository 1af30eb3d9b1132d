// A failure at the end of a long run: two threads sum under locks of their own, meet at a barrier, and then sell one ticket, each after a
// look of its own. usage: long_trace ROUNDS   (4 events a round)
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t part[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t phase;
static long sum[2];
static int tickets = 1, sold;
static long rounds = 2500000;

static int left(void) {
  pthread_mutex_lock(&lock);
  int n = tickets - sold;
  pthread_mutex_unlock(&lock);
  return n;
}

static void* work(void* arg) {
  int me = *(int*)arg;
  for (long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&part[me]);
    sum[me] += i;
    pthread_mutex_unlock(&part[me]);
  }
  pthread_barrier_wait(&phase);
  if (left() > 0) {
    pthread_mutex_lock(&lock);
    sold++;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1) rounds = atol(argv[1]);
  pthread_barrier_init(&phase, NULL, 2);
  pthread_t t[2];
  int id[2] = {0, 1};
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, &id[i]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(sold <= tickets);
  return 0;
}
