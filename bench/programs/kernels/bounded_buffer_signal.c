// A one-slot buffer with a single condition variable and signal where broadcast is needed: a wake-up
// meant for a consumer reaches a producer, which goes back to sleep, and everybody waits.
// Stands for: the notify-instead-of-notifyAll pattern (Farchi, Nir & Ur 2003; Carver & Tai).
// Ours differs: two producers and two consumers, three items each way.
// heddle-kernel: family=bounded_buffer kind=deadlock granularity=sync optimum=0 class=lost-wakeup
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void notify(void) {
#ifdef FIXED
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);  // BUG
#endif
}

static void* produce(void* arg) {
  (void)arg;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    while (full) pthread_cond_wait(&changed, &lock);
    full = 1;
    notify();
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void* consume(void* arg) {
  (void)arg;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    while (!full) pthread_cond_wait(&changed, &lock);
    full = 0;
    notify();
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], NULL, produce, NULL);
  pthread_create(&t[1], NULL, produce, NULL);
  pthread_create(&t[2], NULL, consume, NULL);
  pthread_create(&t[3], NULL, consume, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return 0;
}
