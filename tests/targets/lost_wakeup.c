// heddle: expect=deadlock preemptions=1 switches=3 runs<=200
// The flag is looked at in one critical section and waited for in another: a signal between the two is lost.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void* waiter(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  int seen = ready;
  pthread_mutex_unlock(&lock);
  if (!seen) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

static void* signaller(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, waiter, 0);
  pthread_create(&two, 0, signaller, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
