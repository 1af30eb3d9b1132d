// verify: fixed
// The lower fork first.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int meals[3];

static void* dine(void* arg) {
  const int me = *(int*)arg;
  const int other = (me + 1) % 3;
  const int first = me < other ? me : other, second = me < other ? other : me;
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);
  meals[me] += 1;
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
  return NULL;
}

int main(void) {
  static int names[3] = {0, 1, 2};
  pthread_t seats[3];
  for (int i = 0; i < 3; ++i) pthread_create(&seats[i], NULL, dine, &names[i]);
  for (int i = 0; i < 3; ++i) pthread_join(seats[i], NULL);
  return 0;
}
