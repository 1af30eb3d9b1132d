// A timed wait that ends by time-out is taken for an answer.
// heddle-bug: kind=assert granularity=sync class=wait set=held
// fix: while|loop|again|ETIMEDOUT|result|test
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answer = PTHREAD_COND_INITIALIZER;
static int have_answer, value;

static void* responder(void* unused) {
  pthread_mutex_lock(&m);
  value = 5;
  have_answer = 1;
  pthread_cond_signal(&answer);
  pthread_mutex_unlock(&m);
  return unused;
}

static int ask(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  pthread_mutex_lock(&m);
  if (!have_answer) pthread_cond_timedwait(&answer, &m, &until);  // BUG
  int v = value;
  pthread_mutex_unlock(&m);
  return v;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, responder, NULL);
  assert(ask() == 5);
  pthread_join(t, NULL);
  return 0;
}
