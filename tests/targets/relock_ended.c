// heddle: expect=none runs<=40
// Threads that wait for what they hold themselves, or for each other, and are taken out of it by a handler: a jump, and the end of the program.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static sigjmp_buf out;
static int turns;

static void jump(int number) {
  (void)number;
  siglongjmp(out, 1);
}
static void finish(int number) {
  (void)number;
  _exit(turns == 3 ? 0 : 1);
}

static void* busy(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&c);
    ++turns;
    pthread_mutex_unlock(&c);
  }
  return 0;
}

// Locks a, then b; main holds b and wants a.
static void* opposite(void* unused) {
  (void)unused;
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}

int main(void) {
  pthread_t other;
  signal(SIGUSR1, jump);
  signal(SIGALRM, jump);
  // Each of the two waits for the other, perhaps: the timer takes main out, and it gives up what it holds.
  pthread_create(&other, 0, opposite, 0);
  pthread_mutex_lock(&b);
  alarm(1);
  if (sigsetjmp(out, 1) == 0) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
  }
  alarm(0);
  pthread_mutex_unlock(&b);
  pthread_join(other, 0);
  // A relock, ended by the end of the program.
  pthread_create(&other, 0, busy, 0);
  signal(SIGALRM, finish);
  alarm(1);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&a);
  return 1;
}
