// Descriptors that a child makes ready: an eventfd and a message queue that both have, and a signalfd that tells of the child's end.
// heddle: expect=none runs<=20
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static int ended, written;

static void* reaper(void* unused) {
  struct signalfd_siginfo info;
  CHECK(read(ended, &info, sizeof info) == sizeof info && info.ssi_signo == SIGCHLD);
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  ended = signalfd(-1, &set, 0);
  written = eventfd(0, 0);
  pthread_create(&thread, NULL, reaper, NULL);
  struct mq_attr sizes = {.mq_maxmsg = 1, .mq_msgsize = 1};
  mqd_t queue = mq_open("/heddle_child_descriptors", O_CREAT | O_RDWR, 0600, &sizes);
  CHECK(queue != (mqd_t)-1 && mq_unlink("/heddle_child_descriptors") == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    uint64_t three = 3;
    usleep(20000);
    CHECK(mq_send(queue, "x", 1, 0) == 0);
    _exit(write(written, &three, sizeof three) == sizeof three ? 4 : 5);
  }
  char message = 0;
  CHECK(mq_receive(queue, &message, 1, NULL) == 1 && message == 'x');
  struct pollfd wait = {written, POLLIN, 0};
  CHECK(poll(&wait, 1, -1) == 1);
  uint64_t value = 0;
  CHECK(read(written, &value, sizeof value) == sizeof value && value == 3);
  pthread_join(thread, NULL);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
  return 0;
}
