// Children end while the only other thread does: the signal is main's, which waits for it, whoever of the kernel's threads it comes to.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_child(int number) {
  (void)number;
  const int saved = errno;
  while (waitpid(-1, 0, WNOHANG) > 0) ++ended;
  errno = saved;
}

static void* sleeps(void* unused) {
  usleep(10);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
  sigaction(SIGCHLD, &action, 0);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  pthread_t thread;
  pthread_create(&thread, 0, sleeps, 0);
  for (int i = 0; i < 2; ++i) {
    if (fork() == 0) _exit(0);
  }
  while (ended < 2) sigsuspend(&before);
  pthread_join(thread, 0);
  return 0;
}
