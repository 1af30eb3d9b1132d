// A cancellation that is pending takes effect as soon as the thread may be cancelled anywhere.
// heddle: expect=none runs<=20
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

static int passed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* by_type(void* unused) {
  pthread_cancel(pthread_self());
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  passed = 1;
  return unused;
}
static void* by_state(void* unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cancel(pthread_self());
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  passed = 2;
  return unused;
}
static void* in_lock(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_mutex_lock(&mutex);
  passed = 3;
  return unused;
}
// Computes until it is cancelled: whoever does that runs before.
static void* computing(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (volatile unsigned turns = 0;; ++turns) continue;
  return unused;
}
// Also a call that fails at once is a cancellation point.
static void* in_read(void* unused) {
  char byte;
  pthread_cancel(pthread_self());
  passed = read(-1, &byte, 1) == 0 ? 4 : 5;
  return unused;
}

int main(void) {
  void* (*const bodies[])(void*) = {by_type, by_state, in_lock, in_read, computing};
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 5; ++i) {
    pthread_t thread;
    void* result = NULL;
    pthread_create(&thread, NULL, bodies[i], NULL);
    if (i == 2 || i == 4) pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED || passed != 0) return i + 1;
  }
  return 0;
}
