// A home-made barrier without a generation: a fast thread re-enters and resets the count before a
// slow one has left, and the slow one waits for a round that never fills.
// Stands for: the reusable-barrier mistake of the Little Book of Semaphores; "barrier" in Maple and RADBench-like suites.
// Ours differs: two threads, two rounds.
// heddle-kernel: family=barrier kind=deadlock granularity=sync optimum=0 class=atomicity
#include <pthread.h>

enum { kThreads = 2, kRounds = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int arrived;
#ifdef FIXED
static int generation;
#endif

static void barrier(void) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  int mine = generation;
  if (++arrived == kThreads) {
    arrived = 0;
    generation++;
    pthread_cond_broadcast(&full);
  }
  while (mine == generation) pthread_cond_wait(&full, &lock);
#else
  if (arrived == kThreads) arrived = 0;  // BUG
  arrived++;
  if (arrived == kThreads) pthread_cond_broadcast(&full);
  while (arrived < kThreads) pthread_cond_wait(&full, &lock);
#endif
  pthread_mutex_unlock(&lock);
}

static void* worker(void* arg) {
  (void)arg;
  for (int i = 0; i < kRounds; i++) barrier();
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], NULL);
  return 0;
}
