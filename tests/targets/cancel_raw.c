// A thread that may be cancelled anywhere waits in a system call of its own; one that is cancelled in aio_suspend gives back what it holds.
// heddle: expect=none runs<=30
#include <aio.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void* in_pause(void* unused) {
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  syscall(SYS_pause);
  return NULL;
}
static void* in_suspend(void* block) {
  const struct aiocb* list[1] = {block};
  aio_suspend(list, 1, NULL);
  return NULL;
}

static int is_cancelled(void* (*function)(void*), void* argument) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, function, argument);
  usleep(100);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED;
}

int main(void) {
  static struct aiocb block;
  static char byte;
  if (pipe(ends) != 0) return 1;
  block.aio_fildes = ends[0];
  block.aio_buf = &byte;
  block.aio_nbytes = 1;
  if (!is_cancelled(in_pause, NULL)) return 2;
  if (aio_read(&block) != 0) return 3;
  if (!is_cancelled(in_suspend, &block)) return 4;
  if (write(ends[1], "x", 1) != 1) return 5;
  const struct aiocb* list[1] = {&block};
  return aio_suspend(list, 1, NULL) == 0 && aio_return(&block) == 1 ? 0 : 6;
}
