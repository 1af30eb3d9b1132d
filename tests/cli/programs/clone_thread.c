// Threads that clone itself makes run beside the schedule. What they wake and write ends the waits of the others; they are awaited by the
// word that the kernel clears at their end, and by a futex of the program's own.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int ended = 1, asked, answered;
static _Alignas(16) char stack[65536];

static long raw(long number, void* address, int operation, int value) {
  long result;
  register long none __asm__("r10") = 0;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(address), "S"(operation), "d"(value), "r"(none) : "rcx", "r11", "memory");
  return result;
}

static int worker(void* unused) {
  (void)unused;
  while (atomic_load(&asked) == 0) raw(SYS_futex, &asked, FUTEX_WAIT_PRIVATE, 0);
  atomic_store(&answered, 1);
  raw(SYS_futex, &answered, FUTEX_WAKE_PRIVATE, INT_MAX);
  return 0;
}

static void* waiter(void* unused) {
  while (atomic_load(&answered) == 0) syscall(SYS_futex, &answered, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  return unused;
}

int main(void) {
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  pthread_t thread;
  pthread_create(&thread, NULL, waiter, NULL);
  if (clone(worker, stack + sizeof stack, flags, NULL, NULL, NULL, &ended) < 0) abort();
  atomic_store(&asked, 1);
  syscall(SYS_futex, &asked, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  pthread_join(thread, NULL);
  for (int now; (now = atomic_load(&ended)) != 0;) syscall(SYS_futex, &ended, FUTEX_WAIT, now, NULL, NULL, 0);
  return 0;
}
