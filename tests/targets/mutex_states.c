// heddle: expect=none runs<=40
// What a mutex answers in its rarer states: left by a dead owner and given up, waited with by a thread that does not own it, with a priority
// ceiling, and locked twice by a thread that another one helps out.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(int truth, const char* what) {
  if (truth) return;
  printf("%s\n", what);
  exit(1);
}

static void make(pthread_mutex_t* mutex, int type, int robust, int protocol) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  must(pthread_mutex_init(mutex, &attributes) == 0, "init");
}

static void both(void* (*first)(void*), void* (*second)(void*), void* argument) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, argument);
  pthread_create(&threads[1], 0, second, argument);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}

static void* die_with(void* mutex) {
  must(pthread_mutex_lock(mutex) == 0, "lock before death");
  return 0;
}

// The first of the two gives the mutex up, and it is lost for the other one too.
static void* give_up(void* mutex) {
  const int error = pthread_mutex_lock(mutex);
  if (error == ENOTRECOVERABLE) return 0;
  must(error == EOWNERDEAD, "the owner is dead");
  must(pthread_mutex_unlock(mutex) == 0, "given up");
  must(pthread_mutex_lock(mutex) == ENOTRECOVERABLE, "lost");
  return 0;
}

static void* repair(void* mutex) {
  const int error = pthread_mutex_lock(mutex);
  if (error == EOWNERDEAD) must(pthread_mutex_consistent(mutex) == 0, "consistent");
  must(error == 0 || error == EOWNERDEAD, "repaired");
  must(pthread_mutex_unlock(mutex) == 0, "unlock after the repair");
  return 0;
}

static void test_dead_owners(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  static const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};
  for (int i = 0; i < 6; ++i) {
    pthread_mutex_t mutex;
    pthread_t dies;
    make(&mutex, types[i / 2], 1, protocols[i % 2]);
    pthread_create(&dies, 0, die_with, &mutex);
    pthread_join(dies, 0);
    both(give_up, give_up, &mutex);
    must(pthread_mutex_destroy(&mutex) == 0, "destroy");
    make(&mutex, types[i / 2], 1, protocols[i % 2]);
    pthread_create(&dies, 0, die_with, &mutex);
    pthread_join(dies, 0);
    both(repair, repair, &mutex);
    must(pthread_mutex_destroy(&mutex) == 0, "destroy");
  }
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static void* hold(void* mutex) {
  must(pthread_mutex_lock(mutex) == 0, "lock");
  must(pthread_mutex_unlock(mutex) == 0, "unlock");
  return 0;
}
static void* not_owner(void* mutex) {
  must(pthread_cond_wait(&condition, mutex) == EPERM, "a wait without the mutex");
  const struct timespec past = {0, 0};
  must(pthread_cond_timedwait(&condition, mutex, &past) == EPERM, "a timed wait without the mutex");
  must(pthread_mutex_unlock(mutex) == EPERM, "an unlock without the mutex");
  return 0;
}

static int counted;
static void* count(void* mutex) {
  const int error = pthread_mutex_lock(mutex);
  // Without a real-time policy glibc cannot raise the priority, and says so.
  if (error == EINVAL) return 0;
  must(error == 0, "lock with a ceiling");
  ++counted;
  must(pthread_mutex_unlock(mutex) == 0, "unlock with a ceiling");
  return 0;
}

static int helped, locked;
static pthread_mutex_t flag = PTHREAD_MUTEX_INITIALIZER;
static void* lock_twice(void* mutex) {
  must(pthread_mutex_lock(mutex) == 0, "first lock");
  pthread_mutex_lock(&flag);
  locked = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&flag);
  must(pthread_mutex_lock(mutex) == 0, "second lock");
  must(helped, "helped out");
  must(pthread_mutex_unlock(mutex) == 0, "unlock");
  return 0;
}
static void* help(void* mutex) {
  pthread_mutex_lock(&flag);
  while (!locked) pthread_cond_wait(&condition, &flag);
  pthread_mutex_unlock(&flag);
  // Until it waits for itself.
  struct timespec soon = {0, 1000000};
  nanosleep(&soon, 0);
  helped = 1;
  must(pthread_mutex_unlock(mutex) == 0, "unlock for another");
  return 0;
}

int main(void) {
  test_dead_owners();
  pthread_mutex_t mutex;
  make(&mutex, PTHREAD_MUTEX_ERRORCHECK, 0, PTHREAD_PRIO_NONE);
  both(hold, not_owner, &mutex);
  make(&mutex, PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_PROTECT);
  both(count, count, &mutex);
  must(counted == 0 || counted == 2, "counted");
  make(&mutex, PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_NONE);
  both(lock_twice, help, &mutex);
  return 0;
}
