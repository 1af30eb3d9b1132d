// heddle: expect=assert preemptions=0 runs<=5
// Fails without any preemption: the second thread to run always finds the account empty.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void* withdraw(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  balance -= 80;
  assert(balance >= 0);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, withdraw, 0);
  pthread_create(&two, 0, withdraw, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
