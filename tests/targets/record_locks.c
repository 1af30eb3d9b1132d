// Locks on parts of a file: between open files (OFD) they exclude threads; lockf and F_SETLKW are a process's own.
// heddle: expect=none runs<=60
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static char path[] = "/tmp/heddle-records-XXXXXX";
static int inside;

static void* work(void* unused) {
  const int fd = open(path, O_RDWR);
  CHECK(fd >= 0);
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = F_WRLCK;
  for (int i = 0; i < 3; ++i) {
    lock.l_type = F_WRLCK;
    CHECK(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
    CHECK(++inside == 1);
    sched_yield();
    --inside;
    lock.l_type = F_UNLCK;
    CHECK(fcntl(fd, F_OFD_SETLK, &lock) == 0);
  }
  CHECK(lockf(fd, F_LOCK, 10) == 0 && lockf(fd, F_ULOCK, 10) == 0);
  lock.l_type = F_WRLCK;
  CHECK(fcntl(fd, F_SETLKW, &lock) == 0);
  close(fd);
  return unused;
}

int main(void) {
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  unlink(path);
  return 0;
}
