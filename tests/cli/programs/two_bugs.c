// Three threads take a number each, without a lock over looking and taking: numbers may come twice (2) or be left over (3). As it
// stands, a run fails in one of two ways, or passes when the threads keep out of each other's way.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_number = 1;
static int taken[8];

static void* take(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  const int mine = next_number;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  taken[mine]++;
  next_number = mine + 1;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, take, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  if (taken[1] == 3) return 3;
  return taken[1] != 1 || taken[2] != 1 ? 2 : 0;
}
