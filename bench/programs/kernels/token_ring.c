// Three threads pass a number on: x1 = x3 + 1, x2 = x1, x3 = x2, each under the lock; a checker
// expects all three to have moved together, which no order but one gives.
// Stands for: "token_ring" of SV-COMP pthread and SCTBench CS.
// Ours differs: the fixed twin passes the token along by waiting for its turn.
// heddle-kernel: family=token_ring kind=assert granularity=sync optimum=0 class=order
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x[3] = {1, 1, 1};
#ifdef FIXED
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int turn;
#endif

static void await_turn(int mine) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (turn != mine) pthread_cond_wait(&moved, &lock);
#else
  (void)mine;  // BUG
#endif
}

static void pass_on(void) {
#ifdef FIXED
  turn++;
  pthread_cond_broadcast(&moved);
#endif
  pthread_mutex_unlock(&lock);
}

static void* node(void* arg) {
  int me = *(int*)arg;
  await_turn(me);
  x[me] = me == 0 ? (x[2] + 1) % 4 : x[me - 1];
  pass_on();
  return NULL;
}

static void* check(void* arg) {
  (void)arg;
  await_turn(3);
  assert(x[0] == x[1] && x[1] == x[2]);
  pass_on();
  return NULL;
}

int main(void) {
  pthread_t t[4];
  int id[3] = {0, 1, 2};
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, node, &id[i]);
  pthread_create(&t[3], NULL, check, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return 0;
}
