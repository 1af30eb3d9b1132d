// verify: fixed
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t phase;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int parts[2], sum;

static void add_up(void) {
  pthread_mutex_lock(&lock);
  sum = parts[0] + parts[1];
  pthread_mutex_unlock(&lock);
}

static void* work(void* arg) {
  const int me = *(int*)arg;
  pthread_mutex_lock(&lock);
  parts[me] = 21;
  pthread_mutex_unlock(&lock);
  pthread_barrier_wait(&phase);
  if (me == 0) add_up();
  return NULL;
}

int main(void) {
  static int names[2] = {0, 1};
  pthread_t a, b;
  pthread_barrier_init(&phase, NULL, 2);
  pthread_create(&a, NULL, work, &names[0]);
  pthread_create(&b, NULL, work, &names[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  if (sum != 42) fprintf(stderr, "sum is %d\n", sum);
  return sum == 42 ? 0 : 4;
}
