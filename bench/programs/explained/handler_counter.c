// A signal's handler counts in the same plain counter as the thread that it interrupts.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=tuned
// fix: atomic|one step|block
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static volatile long events;

static void on_signal(int n) {
  (void)n;
  events = events + 1;
}

static void* count(void* unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    long seen = events;  // BUG
    events = seen + 1;   // BUG
  }
  return 0;
}

int main(void) {
  struct sigaction act = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &act, 0);
  pthread_t t;
  pthread_create(&t, 0, count, 0);
  pthread_kill(t, SIGUSR1);
  pthread_join(t, 0);
  assert(events == 3 || events == 2);
  assert(events == 3);
  return 0;
}
