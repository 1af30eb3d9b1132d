// Looking whether there is a seat and taking it are two critical sections.
// heddle-bug: kind=assert granularity=sync class=atomicity set=tuned
// fix: (one|same) (critical section|lock)|hold
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 1, sold;

static int seats_left(void) {
  pthread_mutex_lock(&lock);
  int n = seats;
  pthread_mutex_unlock(&lock);
  return n;
}

static void take(void) {
  pthread_mutex_lock(&lock);
  seats--;
  sold++;
  pthread_mutex_unlock(&lock);
}

static void* agent(void* arg) {
  (void)arg;
  if (seats_left() > 0) take();  // BUG
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, agent, NULL);
  pthread_create(&b, NULL, agent, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(sold <= 1);
  return 0;
}
