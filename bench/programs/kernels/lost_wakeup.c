// The waiter tests the flag before it takes the lock; the signal can come between the test and the
// wait and is lost.
// Stands for: the missed-signal pattern of Farchi, Nir & Ur 2003.
// Ours differs: the flag is atomic, so there is no data race.
// heddle-kernel: family=lost_wakeup kind=deadlock granularity=sync optimum=1 class=lost-wakeup
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready_cond = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void* waiter(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
  while (!atomic_load(&ready)) pthread_cond_wait(&ready_cond, &lock);
  pthread_mutex_unlock(&lock);
#else
  if (!atomic_load(&ready)) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready_cond, &lock);  // BUG
    pthread_mutex_unlock(&lock);
  }
#endif
  return NULL;
}

static void* signaller(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  atomic_store(&ready, 1);
  pthread_cond_signal(&ready_cond);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t w, s;
  pthread_create(&w, NULL, waiter, NULL);
  pthread_create(&s, NULL, signaller, NULL);
  pthread_join(w, NULL);
  pthread_join(s, NULL);
  return 0;
}
