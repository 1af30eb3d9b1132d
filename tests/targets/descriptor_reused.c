// A descriptor's number gets another meaning, or its file other flags, by every call that can do that: what was known about it must not outlive it.
// Where a run believes the old meaning, a read blocks the whole program or a thread waits for ever.
// heddle: expect=none runs<=40
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      abort();                                                \
    }                                                         \
  } while (0)

static int ends[2];

static void* writer(void* unused) {
  (void)unused;
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

// The byte comes from another thread, so that the read has to wait where it may.
static void read_one(int fd) {
  pthread_t thread;
  char byte = 0;
  pthread_create(&thread, NULL, writer, NULL);
  CHECK(read(fd, &byte, 1) == 1 && byte == 'x');
  pthread_join(thread, NULL);
}

static void expect_try(int fd) {
  char byte;
  CHECK(read(fd, &byte, 1) == -1 && errno == EAGAIN);
}

static void close_by(int way, int fd) {
  FILE* stream;
  switch (way) {
    case 0: close(fd); break;
    case 1:
      stream = fdopen(fd, "r");
      fclose(stream);
      break;
    case 2: close_range((unsigned)fd, (unsigned)fd, 0); break;
    case 3: syscall(SYS_close, fd); break;
    default: syscall(SYS_close_range, fd, fd, 0); break;
  }
}

static void flags_change(void) {
  CHECK(pipe(ends) == 0);
  read_one(ends[0]);
  int yes = 1, no = 0;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  expect_try(ends[0]);
  ioctl(ends[0], FIONBIO, &no);
  read_one(ends[0]);
  const int twin = dup(ends[0]);
  ioctl(twin, FIONBIO, &yes);
  expect_try(ends[0]);
  fcntl(twin, F_SETFL, 0);
  read_one(ends[0]);
  close(twin);
  close(ends[0]);
  close(ends[1]);
}

static void numbers_are_used_again(int way) {
  CHECK(pipe2(ends, O_NONBLOCK) == 0);
  expect_try(ends[0]);
  const int number = ends[0];
  close(ends[1]);
  close_by(way, number);
  CHECK(pipe(ends) == 0);
  CHECK(ends[0] == number);
  read_one(ends[0]);
  // A plain file in its place never waits, and an event does.
  const int file = open("/dev/null", O_RDONLY);
  char byte;
  CHECK(dup2(file, number) == number && read(number, &byte, 1) == 0);
  close(file);
  const int event = eventfd(0, EFD_NONBLOCK);
  unsigned long count;
  CHECK(dup3(event, number, 0) == number && read(number, &count, 8) == -1 && errno == EAGAIN);
  close(event);
  close(number);
  close(ends[1]);
}

static void timeout_changes(void) {
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  ends[1] = pair[1];
  read_one(pair[0]);
  const struct timeval soon = {0, 1000};
  char byte;
  CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon) == 0);
  CHECK(read(pair[0], &byte, 1) == -1 && errno == EAGAIN);
  close(pair[0]);
  close(pair[1]);
}

static void* adds_member(void* set) {
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = ends[0]};
  CHECK(epoll_ctl(*(int*)set, EPOLL_CTL_ADD, ends[0], &wanted) == 0);
  CHECK(write(ends[1], "x", 1) == 1);
  return NULL;
}

// The set is empty when the wait begins.
static void members_change(void) {
  CHECK(pipe(ends) == 0);
  int set = epoll_create1(0);
  pthread_t thread;
  pthread_create(&thread, NULL, adds_member, &set);
  struct epoll_event event;
  CHECK(epoll_wait(set, &event, 1, -1) == 1 && event.data.fd == ends[0]);
  pthread_join(thread, NULL);
  close(set);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  flags_change();
  for (int way = 0; way < 5; ++way) numbers_are_used_again(way);
  timeout_changes();
  members_change();
  CHECK(pipe2(ends, O_NONBLOCK) == 0);
  expect_try(ends[0]);
  const int number = ends[0];
  closefrom(number);
  CHECK(pipe(ends) == 0 && ends[0] == number);
  read_one(ends[0]);
  return 0;
}
