// One thread in sigwait, woken by pthread_kill; main in sigsuspend, woken by a worker's kill(getpid()); a handler that interrupts a sleep.
// heddle: expect=none runs<=100
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t done, poked;
static void on_usr1(int number) {
  (void)number;
  done = 1;
}
static void on_usr2(int number) {
  (void)number;
  poked = 1;
}

static void* waiter(void* result) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  int number = 0;
  if (sigwait(&set, &number) != 0) abort();
  *(int*)result = number;
  return NULL;
}

static void* sleeper(void* result) {
  struct timespec day = {86400, 0};
  struct timespec left = {0, 0};
  if (nanosleep(&day, &left) == -1 && errno == EINTR && left.tv_sec > 0) *(int*)result = 1;
  return NULL;
}

static void* worker(void* unused) {
  (void)unused;
  kill(getpid(), SIGUSR1);
  return NULL;
}

int main(void) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGHUP);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  struct sigaction action = {0};
  action.sa_handler = on_usr1;
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = on_usr2;
  sigaction(SIGUSR2, &action, NULL);
  int got = 0, interrupted = 0;
  pthread_t a, b, c;
  pthread_create(&a, NULL, waiter, &got);
  pthread_create(&b, NULL, worker, NULL);
  pthread_create(&c, NULL, sleeper, &interrupted);
  while (!done) sigsuspend(&before);
  pthread_kill(a, SIGHUP);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  // The sleeper may be poked before it sleeps; then it sleeps its day, in virtual time.
  pthread_kill(c, SIGUSR2);
  pthread_join(c, NULL);
  return got == SIGHUP && poked ? 0 : 1;
}
