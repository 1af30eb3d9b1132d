// Its io_uring is there before the first thread: a ring of the kernel cannot be put back between the runs of a search.
#include <linux/io_uring.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ring;

static void* submits(void* unused) {
  syscall(SYS_io_uring_enter, ring, 0, 0, 0, NULL, 8);
  return unused;
}

int main(void) {
  static struct io_uring_params params;
  ring = (int)syscall(SYS_io_uring_setup, 4, &params);
  if (ring < 0) return 77;
  pthread_t thread;
  pthread_create(&thread, NULL, submits, NULL);
  pthread_join(thread, NULL);
  return 0;
}
