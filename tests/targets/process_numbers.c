// Every call knows a process by the same number: its own, its parent's and its children's.
// heddle: expect=none runs<=10 options=-D_GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      _exit(1);                                               \
    }                                                         \
  } while (0)

static void its_own(void) {
  const pid_t me = getpid();
  struct rlimit limit;
  struct sched_param parameter;
  struct stat status;
  clockid_t clock;
  char path[64], link[32] = "";
  CHECK(sched_getscheduler(me) >= 0 && sched_getparam(gettid(), &parameter) == 0 && getpriority(PRIO_PROCESS, me) < 20);
  CHECK(prlimit(me, RLIMIT_NOFILE, NULL, &limit) == 0 && kill(me, 0) == 0 && clock_getcpuclockid(me, &clock) == 0);
  CHECK(getpgid(me) == getpgrp() && getsid(me) == getsid(0) && getppid() != me && kill(getppid(), 0) == 0);
  snprintf(path, sizeof path, "/proc/%d/status", me);
  FILE* file = fopen(path, "r");
  CHECK(file != NULL && stat(path, &status) == 0);
  fclose(file);
  snprintf(path, sizeof path, "%d", me);
  static int cleared;
  CHECK(syscall(SYS_gettid) == gettid() && syscall(SYS_set_tid_address, &cleared) == gettid());
  CHECK(readlink("/proc/self", link, sizeof link - 1) > 0 && strcmp(path, link) == 0);
}

static int in_child(pid_t parent, const struct timespec* before, int answer) {
  struct timespec now;
  const pid_t me = getpid();
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec < before->tv_sec || now.tv_sec > before->tv_sec + 5) return 2;
  if (getppid() != parent || kill(parent, SIGUSR1) != 0 || write(answer, &me, sizeof me) != sizeof me) return 3;
  char test[64];
  snprintf(test, sizeof test, "test $$ = %d && test $PPID = %d && kill -0 $PPID", me, parent);
  execl("/bin/sh", "sh", "-c", test, (char*)NULL);
  return 4;
}

static void* work(void* unused) {
  const pid_t me = getpid();
  struct timespec before;
  int ends[2], status = -1;
  pid_t said = 0;
  sigset_t set;
  siginfo_t info;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  its_own();
  clock_gettime(CLOCK_MONOTONIC, &before);
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(in_child(me, &before, ends[1]));
  CHECK(read(ends[0], &said, sizeof said) == sizeof said && said == child);
  CHECK(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_pid == child);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
