// What a signalfd says of a child's end names the child by the number that fork gave.
// heddle: expect=none runs<=20
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void* idle(void* unused) { return unused; }

int main(void) {
  sigset_t set;
  pthread_t thread;
  struct signalfd_siginfo info;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  const int fd = signalfd(-1, &set, SFD_CLOEXEC);
  pthread_create(&thread, NULL, idle, NULL);
  const pid_t child = fork();
  if (child == 0) _exit(3);
  if (read(fd, &info, sizeof info) != (ssize_t)sizeof info) return 1;
  if (info.ssi_signo != SIGCHLD || (pid_t)info.ssi_pid != child || info.ssi_status != 3) return 2;
  if (waitpid(child, NULL, 0) != child) return 3;
  return pthread_join(thread, NULL);
}
