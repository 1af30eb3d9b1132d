// Two threads share variables under no common lock, and meet other locks before and after. Built without instrumentation: every order of
// the two is one and the same to whoever sees the locks alone. It fails only where each of them comes in the middle of the other.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static volatile int asked, answered;

static void pass(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}

static void* asks(void* unused) {
  (void)unused;
  asked = 1;
  pass(&left);
  if (answered) abort();
  asked = 0;
  pass(&left);
  return NULL;
}

static void* answers(void* unused) {
  (void)unused;
  pass(&right);
  if (asked) answered = 1;
  pass(&right);
  answered = 0;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, asks, NULL);
  pthread_create(&b, NULL, answers, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
