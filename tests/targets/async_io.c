// Asynchronous reads and writes: waited for, polled, notified of by a signal and by a thread, and in a list.
// heddle: expect=none runs<=40
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static sem_t told;
static volatile sig_atomic_t signalled;
static void on_signal(int number) { signalled = number; }
static void on_thread(union sigval value) {
  CHECK(value.sival_int == 5);
  sem_post(&told);
}

static struct aiocb request(int fd, char* data, size_t size, off_t offset) {
  struct aiocb block;
  memset(&block, 0, sizeof block);
  block.aio_fildes = fd;
  block.aio_buf = data;
  block.aio_nbytes = size;
  block.aio_offset = offset;
  block.aio_sigevent.sigev_notify = SIGEV_NONE;
  return block;
}

static void wait_for(struct aiocb* block) {
  const struct aiocb* list[] = {block};
  while (aio_error(block) == EINPROGRESS) CHECK(aio_suspend(list, 1, NULL) == 0);
}

int main(void) {
  sem_init(&told, 0, 0);
  signal(SIGUSR1, on_signal);
  char path[] = "/tmp/heddle-aio-XXXXXX";
  const int fd = mkstemp(path);
  CHECK(fd >= 0 && unlink(path) == 0);
  char text[] = "abcdefgh";
  struct aiocb write_it = request(fd, text, 8, 0);
  CHECK(aio_write(&write_it) == 0);
  wait_for(&write_it);
  CHECK(aio_return(&write_it) == 8);

  char first[4], second[4];
  struct aiocb one = request(fd, first, 4, 0);
  struct aiocb two = request(fd, second, 4, 4);
  one.aio_lio_opcode = two.aio_lio_opcode = LIO_READ;
  struct aiocb* list[] = {&one, &two};
  CHECK(lio_listio(LIO_WAIT, list, 2, NULL) == 0);
  CHECK(memcmp(first, "abcd", 4) == 0 && memcmp(second, "efgh", 4) == 0);

  struct aiocb by_thread = request(fd, first, 4, 4);
  by_thread.aio_sigevent.sigev_notify = SIGEV_THREAD;
  by_thread.aio_sigevent.sigev_notify_function = on_thread;
  by_thread.aio_sigevent.sigev_value.sival_int = 5;
  CHECK(aio_read(&by_thread) == 0);
  CHECK(sem_wait(&told) == 0 && aio_error(&by_thread) == 0 && memcmp(first, "efgh", 4) == 0);

  struct aiocb by_signal = request(fd, first, 4, 0);
  by_signal.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
  by_signal.aio_sigevent.sigev_signo = SIGUSR1;
  CHECK(aio_read(&by_signal) == 0);
  while (!signalled) usleep(1000);
  CHECK(aio_error(&by_signal) == 0 && aio_return(&by_signal) == 4);

  // From a pipe: it completes when somebody has written.
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct aiocb from_pipe = request(ends[0], second, 4, 0);
  CHECK(aio_read(&from_pipe) == 0);
  CHECK(write(ends[1], "1234", 4) == 4);
  wait_for(&from_pipe);
  CHECK(aio_return(&from_pipe) == 4 && memcmp(second, "1234", 4) == 0);
  return 0;
}
