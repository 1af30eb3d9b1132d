// heddle: expect=none runs<=8
// A child process does the waking: a semaphore, a mutex and a barrier in memory that both have. With an argument, also a condition
// and a bare futex, which are looked at as often as time allows: that does not replay.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct Shared {
  sem_t ready, locked;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  pthread_barrier_t barrier;
  int word, flag, count;
};
static struct Shared* s;
static int all;

static void must(int truth, const char* what) {
  if (truth) return;
  printf("%s\n", what);
  exit(1);
}

static void rest(void) {
  const struct timespec millisecond = {0, 1000000};
  nanosleep(&millisecond, 0);
}

static void child(void) {
  pthread_mutex_lock(&s->mutex);
  sem_post(&s->locked);
  rest();
  ++s->count;
  pthread_mutex_unlock(&s->mutex);
  rest();
  sem_post(&s->ready);
  rest();
  pthread_barrier_wait(&s->barrier);
  if (!all) _exit(0);
  rest();
  pthread_mutex_lock(&s->mutex);
  s->flag = 1;
  pthread_cond_signal(&s->condition);
  pthread_mutex_unlock(&s->mutex);
  rest();
  __atomic_store_n(&s->word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &s->word, FUTEX_WAKE, 1, 0, 0, 0);
  _exit(0);
}

static void* wait_for_child(void* unused) {
  (void)unused;
  sem_wait(&s->locked);
  pthread_mutex_lock(&s->mutex);
  must(s->count == 1, "the child was alone inside");
  pthread_mutex_unlock(&s->mutex);
  sem_wait(&s->ready);
  pthread_barrier_wait(&s->barrier);
  if (!all) return 0;
  pthread_mutex_lock(&s->mutex);
  while (!s->flag) pthread_cond_wait(&s->condition, &s->mutex);
  pthread_mutex_unlock(&s->mutex);
  while (__atomic_load_n(&s->word, __ATOMIC_SEQ_CST) == 0) syscall(SYS_futex, &s->word, FUTEX_WAIT, 0, 0, 0, 0);
  return 0;
}

// In a thread, so that each run has a child and memory of its own.
static void* parent(void* unused) {
  (void)unused;
  pthread_mutexattr_t for_mutex;
  pthread_condattr_t for_condition;
  pthread_barrierattr_t for_barrier;
  s = mmap(0, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&s->ready, 1, 0);
  sem_init(&s->locked, 1, 0);
  pthread_mutexattr_init(&for_mutex);
  pthread_mutexattr_setpshared(&for_mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&s->mutex, &for_mutex);
  pthread_condattr_init(&for_condition);
  pthread_condattr_setpshared(&for_condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&s->condition, &for_condition);
  pthread_barrierattr_init(&for_barrier);
  pthread_barrierattr_setpshared(&for_barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&s->barrier, &for_barrier, 2);
  s->word = s->flag = s->count = 0;
  const pid_t pid = fork();
  if (pid == 0) child();
  pthread_t waiter;
  pthread_create(&waiter, 0, wait_for_child, 0);
  pthread_join(waiter, 0);
  int status;
  must(waitpid(pid, &status, 0) == pid && status == 0, "the child has done its part");
  return 0;
}

int main(int argc, char** argv) {
  (void)argv;
  all = argc > 1;
  pthread_t thread;
  pthread_create(&thread, 0, parent, 0);
  pthread_join(thread, 0);
  return 0;
}
