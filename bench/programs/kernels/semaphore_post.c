// A home-made semaphore that signals only when its count rises from zero: two posts in a row wake one
// of two waiters, and the other sleeps on a positive count.
// Stands for: the conditional-notify mistake (Birrell 2003, "An introduction to programming with threads").
// Ours differs: two waiters, one poster that posts twice.
// heddle-kernel: family=semaphore_post kind=deadlock granularity=sync optimum=0 class=lost-wakeup
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t positive = PTHREAD_COND_INITIALIZER;
static int count;

static void* waiter(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  while (count == 0) pthread_cond_wait(&positive, &lock);
  count--;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* poster(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    count++;
#ifdef FIXED
    pthread_cond_signal(&positive);
#else
    if (count == 1) pthread_cond_signal(&positive);  // BUG
#endif
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b, p;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, waiter, NULL);
  pthread_create(&p, NULL, poster, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(p, NULL);
  return 0;
}
