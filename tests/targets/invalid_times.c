// Times and clocks that do not exist are refused as the C library refuses them: EINVAL, and no wait.
// heddle: expect=none runs<=10 options=-D_GNU_SOURCE,-lrt
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                      \
  do {                                                        \
    if (!(condition)) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      _exit(1);                                               \
    }                                                         \
  } while (0)
#define REFUSED(call) CHECK((call) == -1 && errno == EINVAL)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static const struct timespec bad = {1, 1000000000}, negative = {1, -1}, past = {-5, 0};
static const clockid_t kNoClock = 99;

static void locks(const struct timespec* t) {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  CHECK(pthread_mutex_timedlock(&held, t) == EINVAL);
  CHECK(pthread_mutex_timedlock(&mutex, t) == 0 && pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_clocklock(&mutex, kNoClock, &past) == EINVAL);
  pthread_mutex_lock(&mutex);
  CHECK(pthread_cond_timedwait(&condition, &mutex, t) == EINVAL);
  CHECK(pthread_cond_clockwait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
  CHECK(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  CHECK(pthread_rwlock_timedrdlock(&rwlock, t) == EINVAL && pthread_rwlock_clockwrlock(&rwlock, kNoClock, &past) == EINVAL);
  REFUSED(sem_timedwait(&semaphore, t));
  REFUSED(sem_clockwait(&semaphore, kNoClock, &past));
  CHECK(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
  CHECK(thrd_sleep(t, NULL) == -2);
}

static void waits(const struct timespec* t) {
  sigset_t set;
  struct pollfd none = {-1, 0, 0};
  struct timeval less = {0, -1};
  static int word;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  REFUSED(sigtimedwait(&set, NULL, t));
  REFUSED(ppoll(&none, 1, t, NULL));
  REFUSED(pselect(0, NULL, NULL, NULL, t, NULL));
  REFUSED(select(0, NULL, NULL, NULL, &less));
  REFUSED(nanosleep(t, NULL));
  REFUSED(syscall(SYS_futex, &word, 0, 0, t, NULL, 0));
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, t, NULL) == EINVAL && clock_nanosleep(kNoClock, 0, &past, NULL) == EINVAL);
  char name[32], data[64];
  snprintf(name, sizeof name, "/heddle-%d", getpid());
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof data};
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (queue < 0) return;
  REFUSED(mq_timedreceive(queue, data, sizeof data, NULL, t));
  mq_close(queue);
  mq_unlink(name);
}

static void clocks(void) {
  struct timespec now;
  timer_t timer;
  struct itimerspec wrong = {{0, 0}, {0, 1000000000}};
  REFUSED(clock_gettime(kNoClock, &now));
  REFUSED(timer_create(kNoClock, NULL, &timer));
  REFUSED(timerfd_create(kNoClock, 0));
  CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
  REFUSED(timer_settime(timer, 0, &wrong, NULL));
  timer_delete(timer);
  struct aiocb block = {.aio_fildes = 1, .aio_reqprio = -1};
  REFUSED(aio_read(&block));
  REFUSED(lio_listio(99, (struct aiocb*[]){NULL}, 1, NULL));
  CHECK(aio_cancel(-1, NULL) == -1 && errno == EBADF);
}

static void* work(void* unused) {
  locks(&bad);
  locks(&negative);
  waits(&bad);
  waits(&negative);
  clocks();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&held);
  pthread_create(&thread, NULL, work, NULL);
  CHECK(pthread_timedjoin_np(thread, NULL, NULL) == 0);
  return 0;
}
