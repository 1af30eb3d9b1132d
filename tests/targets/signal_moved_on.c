// A signal to the process is for whoever takes it. The worker has not begun and does not block it when it comes; then it blocks it: main takes it.
// heddle: expect=none runs<=60
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static void note(int number) {
  (void)number;
  ++came;
}

static void block(int how, sigset_t* before) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(how, &set, before);
}

static void* blocks_it(void* arg) {
  block(SIG_BLOCK, NULL);
  sleep(1);
  return arg;
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = note;
  sigaction(SIGUSR1, &action, NULL);
  pthread_t worker;
  pthread_create(&worker, NULL, blocks_it, NULL);
  sigset_t before;
  block(SIG_BLOCK, &before);
  kill(getpid(), SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  for (int looks = 0; came == 0; ++looks) {
    if (looks == 200) abort();
    usleep(10000);
  }
  pthread_join(worker, NULL);
  return came == 1 ? 0 : 1;
}
