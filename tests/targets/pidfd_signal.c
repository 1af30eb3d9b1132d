// A signal that the program sends itself through a pidfd is an operation like kill, on whatever kernel thread the program's threads run.
// heddle: expect=none runs<=30
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static void note(int number) {
  (void)number;
  ++came;
}

static void* sends(void* arg) {
  const int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
  if (self < 0 || syscall(SYS_pidfd_send_signal, self, SIGUSR1, NULL, 0) != 0) abort();
  close(self);
  return arg;
}

int main(void) {
  signal(SIGUSR1, note);
  pthread_t sender;
  pthread_create(&sender, NULL, sends, NULL);
  pthread_join(sender, NULL);
  return came == 1 ? 0 : 1;
}
