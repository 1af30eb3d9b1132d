// heddle: expect=none runs<=20
// One thread waits for a completion that another one's write brings: the wait for an io_uring is a wait like others.
#include <assert.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ring, ends[2];
static char got[8];
static struct io_uring_params params;

static void* reader(void* unused) {
  ring = (int)syscall(SYS_io_uring_setup, 4, &params);
  if (ring < 0 && (errno == ENOSYS || errno == EPERM)) return unused;  // not everywhere allowed
  assert(ring >= 0);
  char* sq = mmap(NULL, params.sq_off.array + params.sq_entries * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
                  IORING_OFF_SQ_RING);
  struct io_uring_sqe* entries =
      mmap(NULL, params.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
  char* cq = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_CQ_RING);
  assert(sq != MAP_FAILED && cq != MAP_FAILED && entries != MAP_FAILED);
  unsigned* tail = (unsigned*)(sq + params.sq_off.tail);
  memset(&entries[0], 0, sizeof entries[0]);
  entries[0].opcode = IORING_OP_READ;
  entries[0].fd = ends[0];
  entries[0].addr = (unsigned long)got;
  entries[0].len = sizeof got;
  entries[0].user_data = 7;
  ((unsigned*)(sq + params.sq_off.array))[*tail & *(unsigned*)(sq + params.sq_off.ring_mask)] = 0;
  __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
  assert(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 8) == 1);
  unsigned* head = (unsigned*)(cq + params.cq_off.head);
  assert(__atomic_load_n((unsigned*)(cq + params.cq_off.tail), __ATOMIC_ACQUIRE) == *head + 1);
  const struct io_uring_cqe* done =
      (const struct io_uring_cqe*)(cq + params.cq_off.cqes) + (*head & *(unsigned*)(cq + params.cq_off.ring_mask));
  assert(done->user_data == 7 && done->res == 5 && memcmp(got, "hello", 5) == 0);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  usleep(1000);
  assert(write(ends[1], "hello", 5) == 5);
  pthread_join(thread, NULL);
  return 0;
}
