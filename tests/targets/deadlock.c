// heddle: expect=deadlock preemptions=1 switches=2 runs<=200
// Two locks taken in opposite orders.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void* forward(void* unused) {
  (void)unused;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  total++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}

static void* backward(void* unused) {
  (void)unused;
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  total++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, forward, 0);
  pthread_create(&two, 0, backward, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return total == 2 ? 0 : 1;
}
