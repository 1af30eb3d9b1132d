// Two threads fill their half of an array, then read the other half; one of the two phases is not
// separated by the barrier, so a reader can meet a half that is not filled yet.
// Stands for: the missing-barrier order violation of scientific codes (Lu et al. 2008, order violations).
// Ours differs: two threads with one element each; the barrier is pthread's own.
// heddle-kernel: family=barrier kind=assert granularity=sync optimum=0 class=order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kThreads = 2 };

static pthread_barrier_t barrier;
static atomic_int cell[kThreads], sum[kThreads];

static void *worker(void *arg) {
  int me = *(int *)arg;
  pthread_barrier_wait(&barrier);
  atomic_store(&cell[me], me + 1);
#ifdef FIXED
  pthread_barrier_wait(&barrier);
#endif
  atomic_store(&sum[me], atomic_load(&cell[0]) + atomic_load(&cell[1]));  // BUG
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  int id[kThreads];
  pthread_barrier_init(&barrier, NULL, kThreads);
  for (int i = 0; i < kThreads; i++) {
    id[i] = i;
    pthread_create(&t[i], NULL, worker, &id[i]);
  }
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < kThreads; i++) assert(atomic_load(&sum[i]) == 3);
  pthread_barrier_destroy(&barrier);
  return 0;
}
