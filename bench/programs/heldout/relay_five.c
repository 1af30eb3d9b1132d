// Five stages hand a number on, each under the lock, and an inspector expects either nobody or everybody to have moved.
// heddle-kernel: family=relay kind=assert granularity=sync class=order
#include <assert.h>
#include <pthread.h>

enum { kStages = 5 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int value[kStages + 1] = {7}, done;

static void* stage(void* argument) {
  const int me = (int)(long)argument;
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (done != me) pthread_cond_wait(&moved, &lock);
#endif
  value[me + 1] = value[me];  // BUG
  ++done;
  pthread_cond_broadcast(&moved);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[kStages];
  for (long i = 0; i < kStages; ++i) pthread_create(&threads[i], NULL, stage, (void*)i);
  for (int i = 0; i < kStages; ++i) pthread_join(threads[i], NULL);
  assert(value[kStages] == 7);
  return 0;
}
