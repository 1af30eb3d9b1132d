// takes_signals HOW: says "ready", counts until USR1 comes from outside, says how far it came and ends with 1.
// HOW: handler (two threads count under a lock), pause (nobody can run meanwhile), wait (every thread blocks it, one waits for it), busy (main only
// computes), slow (main computes for a while first), twice (says how often INT came).
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t came;
static int stop;
static unsigned long turns, seen;

static void on_signal(int number) {
  (void)number;
  came = 1;
  seen = turns;
}

static volatile sig_atomic_t interrupts;
static void on_interrupt(int number) {
  (void)number;
  ++interrupts;
}

static int count_interrupts(void) {
  signal(SIGINT, on_interrupt);
  signal(SIGUSR1, on_signal);
  printf("ready\n");
  fflush(stdout);
  for (int said = 0; !came;) {
    pause();
    for (; said < interrupts; fflush(stdout)) printf("taken %d\n", ++said);
  }
  printf("%d times\n", (int)interrupts);
  return 1;
}

static void* count(void* unused) {
  for (int over = 0; !over;) {
    for (volatile int i = 0; i < 300000; ++i) continue;
    pthread_mutex_lock(&lock);
    ++turns;
    over = came || stop;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (strcmp(argv[1], "twice") == 0) return count_interrupts();
  pthread_t thread;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  if (strcmp(argv[1], "wait") == 0) {
    pthread_sigmask(SIG_BLOCK, &set, NULL);
  } else {
    signal(SIGUSR1, on_signal);
  }
  if (strcmp(argv[1], "pause") == 0) stop = 1;
  pthread_create(&thread, NULL, count, NULL);
  if (strcmp(argv[1], "pause") == 0) pthread_join(thread, NULL);
  const int slow = strcmp(argv[1], "slow") == 0;
  if (slow) pthread_mutex_lock(&lock);  // nobody else comes to a point meanwhile
  printf("ready\n");
  fflush(stdout);
  for (volatile int turn = 1; strcmp(argv[1], "busy") == 0 && turn != 0; turn = 1) continue;
  for (volatile int i = slow ? 400000000 : 0; i != 0; --i) continue;
  if (slow) pthread_mutex_unlock(&lock);
  if (strcmp(argv[1], "handler") == 0 || slow) {
    count(NULL);
  } else if (strcmp(argv[1], "pause") == 0) {
    while (!came) pause();
  } else {
    int number = 0;
    sigwait(&set, &number);
    pthread_mutex_lock(&lock);
    stop = 1;
    seen = turns;
    pthread_mutex_unlock(&lock);
  }
  if (strcmp(argv[1], "pause") != 0) pthread_join(thread, NULL);
  printf("after %lu of %lu turns\n", seen, turns);
  return 1;
}
