// A stop flag is set without the lock: the worker has tested it and is about to wait, the signal goes
// to nobody, and the join never returns.
// Stands for: the unlocked shutdown flag, the commonest lost wake-up of server code (Apache, Mozilla in Lu et al. 2008).
// Ours differs: the flag is atomic.
// heddle-kernel: family=shutdown kind=deadlock granularity=access optimum=2 class=lost-wakeup
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static atomic_int stop;

static void* worker(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  while (!atomic_load(&stop)) pthread_cond_wait(&work, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t w;
  pthread_create(&w, NULL, worker, NULL);
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  atomic_store(&stop, 1);  // BUG
  pthread_cond_signal(&work);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  pthread_join(w, NULL);
  return 0;
}
