// A writer fills a cell in the phase after the barrier in which a reader already uses it; the barrier
// that should separate the two phases is missing. It depends on who leaves the first barrier first.
// Stands for: the missing-barrier order violation of scientific codes (Lu et al. 2008, order violations).
// Ours differs: one cell; the barrier is pthread's own.
// heddle-kernel: family=barrier kind=assert granularity=sync optimum=0 class=order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int cell;

static void* writer(void* arg) {
  (void)arg;
  pthread_barrier_wait(&barrier);
  atomic_store(&cell, 1);
#ifdef FIXED
  pthread_barrier_wait(&barrier);
#endif
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  pthread_barrier_wait(&barrier);
#ifdef FIXED
  pthread_barrier_wait(&barrier);
#endif
  assert(atomic_load(&cell) == 1);  // BUG
  return NULL;
}

int main(void) {
  pthread_t w, r;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&w, NULL, writer, NULL);
  pthread_create(&r, NULL, reader, NULL);
  pthread_join(w, NULL);
  pthread_join(r, NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}
