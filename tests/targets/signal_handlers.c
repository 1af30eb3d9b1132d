// Handlers: a fault that longjmps out, on an alternate stack of the thread's own; EINTR and SA_RESTART; SA_RESETHAND; a broken pipe; a
// handler that posts a semaphore; signalfd; and a mask that keeps a signal pending.
// heddle: expect=none runs<=60
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static _Thread_local sigjmp_buf back;
static _Thread_local volatile int on_own_stack;
static _Thread_local char* own_stack;
static volatile sig_atomic_t pipes, resets, pokes, restarts;
static sem_t semaphore;

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  char here;
  on_own_stack = &here > own_stack && &here < own_stack + 65536;
  CHECK(info->si_addr == (void*)8);
  siglongjmp(back, 1);
}
static void on_pipe(int number) {
  (void)number;
  ++pipes;
}
static void on_reset(int number) {
  (void)number;
  ++resets;
}
static void on_poke(int number) {
  (void)number;
  ++pokes;
  sem_post(&semaphore);
}
static void on_restart(int number) {
  (void)number;
  ++restarts;
}

static void install(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  CHECK(sigaction(number, &action, NULL) == 0);
}

static void* faults(void* unused) {
  (void)unused;
  own_stack = malloc(65536);
  stack_t stack = {.ss_sp = own_stack, .ss_size = 65536};
  CHECK(sigaltstack(&stack, NULL) == 0);
  for (int i = 0; i < 3; ++i) {
    on_own_stack = 0;
    if (sigsetjmp(back, 1) == 0) {
      *(volatile int*)8 = 1;
      abort();
    }
    CHECK(on_own_stack);
    usleep(10);
  }
  stack.ss_flags = SS_DISABLE;
  CHECK(sigaltstack(&stack, NULL) == 0);
  free(own_stack);
  return NULL;
}

static int ends[2];
static volatile int interrupted;

static void* reads(void* unused) {
  (void)unused;
  char byte;
  ssize_t n;
  while ((n = read(ends[0], &byte, 1)) < 0 && errno == EINTR) ++interrupted;
  CHECK(n == 1);
  return NULL;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  struct sigaction seen;
  CHECK(sigaction(SIGSEGV, NULL, &seen) == 0 && seen.sa_sigaction == on_fault);
  CHECK(sigaction(SIGBUS, NULL, &seen) == 0 && seen.sa_handler == SIG_DFL);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, faults, NULL);
  pthread_create(&threads[1], NULL, faults, NULL);

  install(SIGPIPE, on_pipe, 0);
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE && pipes == 1);
  close(ends[1]);

  install(SIGUSR2, on_reset, SA_RESETHAND);
  raise(SIGUSR2);
  CHECK(resets == 1 && sigaction(SIGUSR2, NULL, &seen) == 0 && seen.sa_handler == SIG_DFL);

  CHECK(pipe(ends) == 0);
  install(SIGUSR1, on_poke, 0);
  install(SIGHUP, on_restart, SA_RESTART);
  pthread_create(&threads[2], NULL, reads, NULL);
  pthread_kill(threads[2], SIGUSR1);
  sem_wait(&semaphore);
  pthread_kill(threads[2], SIGHUP);
  while (restarts == 0) usleep(10);
  CHECK(write(ends[1], "y", 1) == 1);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  CHECK(pokes == 1 && interrupted <= 1);

  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  const int fd = signalfd(-1, &set, 0);
  kill(getpid(), SIGTERM);
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGTERM));
  struct signalfd_siginfo info;
  CHECK(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGTERM);
  close(fd);
  return 0;
}
