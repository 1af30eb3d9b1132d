// heddle: expect=misuse preemptions=1 runs<=200 message="held by another thread"
// The clean-up path unlocks whatever is locked.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&other);
  work++;
  pthread_mutex_unlock(&other);
  pthread_mutex_unlock(&lock);
  return 0;
}

static void* cleaner(void* unused) {
  (void)unused;
  if (pthread_mutex_trylock(&lock) != 0)
    pthread_mutex_unlock(&lock);
  else
    pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, worker, 0);
  pthread_create(&two, 0, cleaner, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
