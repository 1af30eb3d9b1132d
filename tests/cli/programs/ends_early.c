// A wait that is named on the command line, in a thread that must not see its end before main has stored a word. Only a time-out that
// fires while main could run shows the word missing: exit code 3.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const char* wait_name;
static int stored;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int futex_word;
static int ends[2];
static int sockets[2];
static mqd_t queue;
static pthread_t idler;  // lives until main lets it go
static sem_t let_go;

static const struct timespec span = {0, 20000000};

static struct timespec later(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += span.tv_nsec;
  if (t.tv_nsec >= 1000000000) {
    t.tv_nsec -= 1000000000;
    ++t.tv_sec;
  }
  return t;
}

static int is(const char* name) { return strcmp(wait_name, name) == 0; }

static void wait_so(void) {
  struct timespec real = later(CLOCK_REALTIME);
  struct timespec steady = later(CLOCK_MONOTONIC);
  struct timeval short_while = {0, 20000};
  struct pollfd nothing = {ends[0], POLLIN, 0};
  fd_set set;
  struct epoll_event event = {EPOLLIN, {0}};
  sigset_t signals;
  char byte[8192];
  if (is("nanosleep")) nanosleep(&span, NULL);
  if (is("usleep")) usleep(20000);
  if (is("sleep")) sleep(1);
  if (is("clock_nanosleep")) clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
  if (is("clock_nanosleep_until")) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &steady, NULL);
  if (is("clock_nanosleep_until_real")) clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &real, NULL);
  if (is("thrd_sleep")) thrd_sleep(&span, NULL);
  if (is("cond_timedwait") || is("cond_clockwait")) {
    pthread_mutex_lock(&free_lock);
    if (is("cond_timedwait")) pthread_cond_timedwait(&condition, &free_lock, &real);
    if (is("cond_clockwait")) pthread_cond_clockwait(&condition, &free_lock, CLOCK_MONOTONIC, &steady);
    pthread_mutex_unlock(&free_lock);
  }
  if (is("sem_timedwait")) sem_timedwait(&semaphore, &real);
  if (is("sem_clockwait")) sem_clockwait(&semaphore, CLOCK_MONOTONIC, &steady);
  if (is("mutex_timedlock")) pthread_mutex_timedlock(&held, &real);
  if (is("mutex_clocklock")) pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &steady);
  if (is("rwlock_timedrdlock")) pthread_rwlock_timedrdlock(&written, &real);
  if (is("rwlock_timedwrlock")) pthread_rwlock_timedwrlock(&written, &real);
  if (is("timedjoin")) pthread_timedjoin_np(idler, NULL, &real);
  if (is("clockjoin")) pthread_clockjoin_np(idler, NULL, CLOCK_MONOTONIC, &steady);
  if (is("poll")) poll(&nothing, 1, 20);
  if (is("ppoll")) ppoll(&nothing, 1, &span, NULL);
  if (is("poll_nothing")) poll(NULL, 0, 20);
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  if (is("select")) select(ends[0] + 1, &set, NULL, NULL, &short_while);
  if (is("select_nothing")) select(0, NULL, NULL, NULL, &short_while);
  if (is("pselect")) pselect(ends[0] + 1, &set, NULL, NULL, &span, NULL);
  if (is("epoll_wait")) {
    const int epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
    epoll_wait(epoll, &event, 1, 20);
    close(epoll);
  }
  if (is("recv")) {
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &short_while, sizeof short_while);
    if (recv(sockets[0], byte, sizeof byte, 0) >= 0) abort();
  }
  if (is("futex")) syscall(SYS_futex, &futex_word, FUTEX_WAIT, 0, &span, NULL, 0);
  if (is("futex_until")) syscall(SYS_futex, &futex_word, FUTEX_WAIT_BITSET, 0, &steady, NULL, FUTEX_BITSET_MATCH_ANY);
  if (is("mq_timedreceive")) mq_timedreceive(queue, byte, sizeof byte, NULL, &real);
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  if (is("sigtimedwait")) sigtimedwait(&signals, NULL, &span);
}

static void* waiter(void* unused) {
  wait_so();
  pthread_mutex_lock(&free_lock);
  const int seen = stored;
  pthread_mutex_unlock(&free_lock);
  if (!seen) _exit(3);
  return unused;
}

static void* idle(void* unused) {
  sem_wait(&let_go);
  return unused;
}

int main(int argc, char** argv) {
  wait_name = argc > 1 ? argv[1] : "";
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  sem_init(&semaphore, 0, 0);
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  struct mq_attr attributes = {0, 1, 64, 0, {0}};
  char name[64];
  snprintf(name, sizeof name, "/heddle-ends-early-%d", (int)getpid());
  if (is("mq_timedreceive")) {
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    mq_unlink(name);
    if (queue < 0) return 1;
  }
  pthread_mutex_lock(&held);
  pthread_rwlock_wrlock(&written);
  sem_init(&let_go, 0, 0);
  pthread_create(&idler, NULL, idle, NULL);
  pthread_t t;
  pthread_create(&t, NULL, waiter, NULL);
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(&free_lock);
    pthread_mutex_unlock(&free_lock);
  }
  pthread_mutex_lock(&free_lock);
  stored = 1;
  pthread_mutex_unlock(&free_lock);
  pthread_join(t, NULL);
  sem_post(&let_go);
  return 0;
}
