// heddle: expect=none runs<=60
// Mutexes of every type, each wanted by two threads at once: what a lock says to its owner, to others, and after its owner has died.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct Kind {
  int type, robust, shared, protocol;
};
static const struct Kind kinds[] = {
    {PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PRIO_NONE},      {PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0, PTHREAD_PRIO_NONE},
    {PTHREAD_MUTEX_RECURSIVE, 0, 0, PTHREAD_PRIO_NONE},   {PTHREAD_MUTEX_ERRORCHECK, 0, 1, PTHREAD_PRIO_NONE},
    {PTHREAD_MUTEX_NORMAL, 1, 0, PTHREAD_PRIO_NONE},      {PTHREAD_MUTEX_RECURSIVE, 1, 1, PTHREAD_PRIO_NONE},
    {PTHREAD_MUTEX_ERRORCHECK, 1, 0, PTHREAD_PRIO_NONE},  {PTHREAD_MUTEX_NORMAL, 0, 0, PTHREAD_PRIO_INHERIT},
    {PTHREAD_MUTEX_RECURSIVE, 0, 0, PTHREAD_PRIO_INHERIT}};
enum { kKinds = sizeof kinds / sizeof kinds[0] };

static pthread_mutex_t locks[kKinds];
static int counts[kKinds];

static void must(int truth, const char* what, int kind) {
  if (truth) return;
  printf("kind %d: %s\n", kind, what);
  exit(1);
}

static void* add(void* unused) {
  (void)unused;
  for (int k = 0; k < kKinds; ++k) {
    must(pthread_mutex_lock(&locks[k]) == 0, "lock", k);
    const int before = counts[k];
    // What the owner hears that comes again.
    if (kinds[k].type == PTHREAD_MUTEX_RECURSIVE) {
      must(pthread_mutex_lock(&locks[k]) == 0, "the owner locks again", k);
      must(pthread_mutex_unlock(&locks[k]) == 0, "inner unlock", k);
    } else if (kinds[k].type == PTHREAD_MUTEX_ERRORCHECK) {
      must(pthread_mutex_lock(&locks[k]) == EDEADLK, "the owner is told", k);
    } else {
      must(pthread_mutex_trylock(&locks[k]) == EBUSY, "the owner tries", k);
    }
    must(counts[k] == before, "alone inside", k);
    counts[k] = before + 1;
    must(pthread_mutex_unlock(&locks[k]) == 0, "unlock", k);
  }
  return 0;
}

// Dies with the robust ones.
static void* leave(void* unused) {
  (void)unused;
  for (int k = 0; k < kKinds; ++k) {
    if (kinds[k].robust) must(pthread_mutex_lock(&locks[k]) == 0, "lock before death", k);
  }
  return 0;
}

static void* inherit(void* unused) {
  (void)unused;
  for (int k = 0; k < kKinds; ++k) {
    if (!kinds[k].robust) continue;
    const int error = pthread_mutex_lock(&locks[k]);
    if (error == EOWNERDEAD) must(pthread_mutex_consistent(&locks[k]) == 0, "consistent again", k);
    must(error == 0 || error == EOWNERDEAD, "lock after the death", k);
    must(pthread_mutex_unlock(&locks[k]) == 0, "unlock after the death", k);
  }
  return 0;
}

static void* give_up(void* unused) {
  (void)unused;
  for (int k = 0; k < kKinds; ++k) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    must(pthread_mutex_timedlock(&locks[k], &until) == ETIMEDOUT, "nobody unlocks", k);
  }
  return 0;
}

static void together(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}

int main(void) {
  for (int k = 0; k < kKinds; ++k) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kinds[k].type);
    pthread_mutexattr_setrobust(&attributes, kinds[k].robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_setpshared(&attributes, kinds[k].shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE);
    pthread_mutexattr_setprotocol(&attributes, kinds[k].protocol);
    must(pthread_mutex_init(&locks[k], &attributes) == 0, "init", k);
  }
  together(add, add);
  for (int k = 0; k < kKinds; ++k) must(counts[k] == 2, "two were counted", k);
  together(leave, inherit);
  pthread_t last;
  pthread_create(&last, 0, inherit, 0);
  pthread_join(last, 0);
  for (int k = 0; k < kKinds; ++k) must(pthread_mutex_lock(&locks[k]) == 0, "main locks", k);
  pthread_create(&last, 0, give_up, 0);
  pthread_join(last, 0);
  for (int k = 0; k < kKinds; ++k) must(pthread_mutex_unlock(&locks[k]) == 0, "main unlocks", k);
  return 0;
}
