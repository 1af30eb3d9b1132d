// A child's end awaited by its pidfd, alone and in an epoll set: the child makes it ready, nobody here does, so it is no deadlock.
// heddle: expect=none runs<=20
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static int start_child(int code, int* child_handle) {
  const pid_t child = fork();
  if (child == 0) {
    usleep(5000);
    _exit(code);
  }
  *child_handle = (int)syscall(SYS_pidfd_open, child, 0);
  CHECK(*child_handle >= 0);
  return child;
}

static void take(int child, int code) {
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == code);
}

static void* other(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_join(thread, NULL);
  int handle;
  int child = start_child(3, &handle);
  // As GLib's main loop does: its own eventfd beside the child.
  struct pollfd fds[2] = {{eventfd(0, 0), POLLIN, 0}, {handle, POLLIN, 0}};
  CHECK(poll(fds, 2, -1) == 1 && fds[0].revents == 0 && fds[1].revents == POLLIN);
  take(child, 3);
  close(handle);

  child = start_child(4, &handle);
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, handle, &event) == 0);
  CHECK(epoll_wait(set, &event, 1, -1) == 1);
  take(child, 4);
  return 0;
}
