// N agents sell the seats of one flight; each tests whether seats are left and sells in a second step,
// so the flight is oversold by agents that tested before the last sale.
// Stands for: "airlinetickets" of the ConTest suite (Farchi, Nir & Ur 2003), "airline" of jpf-concurrency.
// Ours differs: test and sale are locked, each by itself.
// heddle-kernel: family=airline kind=assert granularity=sync optimum=1 variants=N:2,N:5,N:10 class=atomicity
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats_left = N - 1, sold;

static void* agent(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  int may_sell = seats_left > 0;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);  // BUG
#endif
  if (may_sell) {
    seats_left--;
    sold++;
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, agent, NULL);
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  assert(sold == N - 1);
  return 0;
}
