// alarm, ualarm, an interval timer, a POSIX timer and a timerfd: all run on the virtual clock, in the order of their deadlines.
// heddle: expect=none runs<=60
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, ticks;
static void on_alarm(int number) {
  (void)number;
  ++alarms;
}
static void on_tick(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  if (info->si_value.sival_int == 42) ++ticks;
}

static void* reader(void* result) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec when = {{0, 0}, {5, 0}};
  if (timerfd_settime(fd, 0, &when, NULL) != 0) abort();
  struct pollfd watched = {fd, POLLIN, 0};
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  while (poll(&watched, 1, -1) != 1) {
  }
  uint64_t count = 0;
  if (read(fd, &count, sizeof count) != sizeof count) abort();
  clock_gettime(CLOCK_MONOTONIC, &after);
  close(fd);
  *(int*)result = count == 1 && after.tv_sec - before.tv_sec >= 4;
  return NULL;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGRTMIN, &action, NULL);
  int read_once = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, reader, &read_once);
  alarm(2);
  while (alarms == 0) pause();
  ualarm(999999, 0);
  while (alarms == 1) pause();
  struct itimerval every = {{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  while (alarms < 5) usleep(100000);
  memset(&every, 0, sizeof every);
  setitimer(ITIMER_REAL, &every, NULL);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN;
  event.sigev_value.sival_int = 42;
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 2;
  struct itimerspec when = {{0, 0}, {3, 0}};
  timer_settime(timer, 0, &when, NULL);
  while (ticks == 0) pause();
  timer_delete(timer);
  pthread_join(thread, NULL);
  return read_once ? 0 : 1;
}
