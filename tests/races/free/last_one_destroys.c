// The last of two threads destroys the mutex that both have used, and the block around it: its last unlock comes before.
#include "../two.h"

struct Shared {
  pthread_mutex_t mutex;
  int left;
};
static struct Shared* shared;

static void drop(void) {
  pthread_mutex_lock(&shared->mutex);
  const int left = --shared->left;
  pthread_mutex_unlock(&shared->mutex);
  if (left != 0) return;
  pthread_mutex_destroy(&shared->mutex);
  free(shared);
}

int main(void) {
  shared = malloc(sizeof *shared);
  pthread_mutex_init(&shared->mutex, NULL);
  shared->left = 2;
  run_both(drop, drop);
  return 0;
}
