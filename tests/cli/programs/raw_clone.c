// A worker made by clone itself, which no interposer of pthread_create sees, and awaited by turns that yield.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int done;
static _Alignas(16) char stack[65536];

static int worker(void* unused) {
  (void)unused;
  atomic_store(&done, 1);
  syscall(SYS_exit, 0);
  return 0;
}

static void* other(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  if (clone(worker, stack + sizeof stack, flags, NULL) < 0) abort();
  while (atomic_load(&done) == 0) sched_yield();
  pthread_join(thread, NULL);
  return 0;
}
