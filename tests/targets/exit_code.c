// heddle: expect=exit preemptions=1 runs<=200 message="lost an update"
// A read-modify-write in two critical sections loses an update, and the program notices.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* increment(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  int old = counter;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  counter = old + 1;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, increment, 0);
  pthread_create(&two, 0, increment, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  if (counter == 2) return 0;
  printf("error: lost an update, counter is %d\n", counter);
  return 3;
}
