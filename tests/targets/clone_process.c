// Processes that clone makes, called as a function and by number: children like those of fork, which go their own way.
// heddle: expect=none runs<=30
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char stack[65536];
static pid_t parent;

static int work(void* unused) {
  (void)unused;
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return getppid() == parent ? 7 : 8;
}

static void expect(long child) {
  int status;
  if (child < 0 || waitpid((pid_t)child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) abort();
}

static void* maker(void* unused) {
  expect(clone(work, stack + sizeof stack, SIGCHLD, NULL));
  long child = syscall(SYS_clone, SIGCHLD, 0, NULL, NULL, 0);
  if (child == 0) _exit(work(NULL));
  expect(child);
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.exit_signal = SIGCHLD;
  child = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(work(NULL));
  expect(child);
  return unused;
}

static void* other(void* unused) { return unused; }

int main(void) {
  pthread_t threads[2];
  parent = getpid();
  pthread_create(&threads[0], NULL, maker, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
