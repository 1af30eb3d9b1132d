// Nobody but a timer lets main go on, and its time comes while all wait. Ends with 5: three signals and three threads of a timer.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static sem_t ticks;

static void on_signal(int number) {
  (void)number;
  ++signals;
}
static void on_tick(union sigval value) { sem_post(value.sival_ptr); }
static void* deaf(void* unused) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  signal(SIGALRM, on_signal);
  pthread_create(&thread, 0, deaf, 0);
  pthread_join(thread, 0);
  const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, 0);
  while (signals < 3) pause();
  setitimer(ITIMER_REAL, &never, 0);

  sem_init(&ticks, 0, 0);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_tick, .sigev_value.sival_ptr = &ticks};
  const struct itimerspec milliseconds = {{0, 1000000}, {0, 1000000}};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 1;
  timer_settime(timer, 0, &milliseconds, 0);
  for (int i = 0; i < 3; ++i) sem_wait(&ticks);
  timer_delete(timer);
  return 5;
}
