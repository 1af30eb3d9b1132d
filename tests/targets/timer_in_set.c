// A timer and an event in one epoll set: the timer's expirations end the wait, also where the set was looked at a moment before.
// heddle: expect=none runs<=100
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int event, permits;

static void* sender(void* unused) {
  for (uint64_t i = 1; i <= 3; ++i) {
    if (write(event, &i, sizeof i) != (ssize_t)sizeof i) abort();
  }
  return unused;
}

static void* taker(void* unused) {
  uint64_t one;
  if (read(permits, &one, sizeof one) != (ssize_t)sizeof one || one != 1) abort();
  return unused;
}

int main(void) {
  event = eventfd(0, EFD_NONBLOCK);
  permits = eventfd(0, EFD_SEMAPHORE);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec times = {{0, 2000000}, {0, 1000000}};
  timerfd_settime(timer, 0, &times, NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, i < 2 ? sender : taker, NULL);
  const int set = epoll_create1(0);
  struct epoll_event wanted = {EPOLLIN, {.fd = event}};
  epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted);
  wanted.data.fd = timer;
  epoll_ctl(set, EPOLL_CTL_ADD, timer, &wanted);
  uint64_t sum = 0, ticks = 0;
  while (sum < 12 || ticks < 3) {
    struct epoll_event ready[4];
    const int count = epoll_wait(set, ready, 4, -1);
    for (int i = 0; i < count; ++i) {
      uint64_t value;
      if (read(ready[i].data.fd, &value, sizeof value) != (ssize_t)sizeof value) abort();
      *(ready[i].data.fd == event ? &sum : &ticks) += value;
    }
  }
  const uint64_t two = 2;
  if (sum != 12 || write(permits, &two, sizeof two) != (ssize_t)sizeof two) abort();
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 0;
}
