// Waits that the kernel keeps: file locks, System V semaphores and queues, an event; calls through syscall(); and exec at the end.
// heddle: expect=none runs<=40
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static int event, queue, semaphores, inside;
static char path[] = "/tmp/heddle-lock-XXXXXX";
static volatile sig_atomic_t poked;
static void on_poke(int number) {
  (void)number;
  poked = 1;
}

struct message {
  long type;
  int value;
};

static void* other(void* unused) {
  (void)unused;
  eventfd_t count = 0;
  CHECK(eventfd_read(event, &count) == 0 && count == 3);
  struct message m;
  CHECK(msgrcv(queue, &m, sizeof m.value, 0, 0) == sizeof m.value && m.value == 42);
  struct sembuf down = {0, -1, 0};
  CHECK(semop(semaphores, &down, 1) == 0);
  const int fd = open(path, O_RDWR);
  CHECK(flock(fd, LOCK_EX) == 0);
  CHECK(++inside == 1);
  sched_yield();
  --inside;
  CHECK(flock(fd, LOCK_UN) == 0);
  close(fd);
  return NULL;
}

static void* nothing(void* unused) { return unused; }

int main(int argc, char** argv) {
  if (argc > 1) return 0;
  // Objects of the kernel's that outlive the process must be this execution's own: they come after the first thread.
  pthread_t first;
  pthread_create(&first, NULL, nothing, NULL);
  pthread_join(first, NULL);
  event = eventfd(0, 0);
  queue = msgget(IPC_PRIVATE, 0600);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  CHECK(event >= 0 && queue >= 0 && semaphores >= 0);
  const int fd = mkstemp(path);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  signal(SIGUSR1, on_poke);
  CHECK(syscall(SYS_getpid) == getpid() && syscall(SYS_gettid) == gettid());
  CHECK(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0 && poked);
  CHECK(eventfd_write(event, 3) == 0);
  struct message m = {1, 42};
  CHECK(msgsnd(queue, &m, sizeof m.value, 0) == 0);
  struct sembuf up = {0, 1, 0};
  CHECK(semop(semaphores, &up, 1) == 0);
  CHECK(flock(fd, LOCK_EX) == 0);
  CHECK(++inside == 1);
  sched_yield();
  --inside;
  CHECK(flock(fd, LOCK_UN) == 0);
  pthread_join(thread, NULL);
  msgctl(queue, IPC_RMID, NULL);
  semctl(semaphores, 0, IPC_RMID);
  unlink(path);
  char* const again[] = {argv[0], "again", NULL};
  execv("/proc/self/exe", again);
  return 1;
}
