// A handler for SIGABRT runs at once, on the thread that aborts, and ends the process in its own way; it is an abort all the same.
// heddle: expect=abort preemptions=0 runs<=20
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t victim;
static void on_abort(int number) {
  (void)number;
  _exit(pthread_equal(pthread_self(), victim) ? 7 : 8);
}
static void* aborts(void* unused) {
  (void)unused;
  victim = pthread_self();
  abort();
}

int main(void) {
  signal(SIGABRT, on_abort);
  pthread_t thread;
  pthread_create(&thread, NULL, aborts, NULL);
  pthread_join(thread, NULL);
  return 0;
}
