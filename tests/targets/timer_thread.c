// A timer that notifies by a thread (SIGEV_THREAD), once and repeatedly, on the virtual clock.
// heddle: expect=none runs<=60
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static sem_t ticks;
static void on_tick(union sigval value) {
  CHECK(value.sival_int == 9);
  sem_post(&ticks);
}

int main(void) {
  sem_init(&ticks, 0, 0);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_tick;
  event.sigev_value.sival_int = 9;
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec often = {{3600, 0}, {60, 0}};
  CHECK(timer_settime(timer, 0, &often, NULL) == 0);
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < 3; ++i) CHECK(sem_wait(&ticks) == 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  // Two hours and a minute, without waiting for them.
  CHECK(end.tv_sec - start.tv_sec >= 7259);
  CHECK(timer_delete(timer) == 0);
  struct timespec later;
  clock_gettime(CLOCK_REALTIME, &later);
  later.tv_sec += 10000;
  CHECK(sem_timedwait(&ticks, &later) == -1);
  return 0;
}
