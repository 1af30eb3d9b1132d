// A stress driver of 33 threads on a small shared record. All of them lock, count and look things up
// together; three matter: one that changes the record in two steps under a busy mark, one that sweeps
// marks it believes to be stale, and one that checks the record whenever it is not marked.
// Stands for: row "BuggyPro" of LEAN Tables 1-4 (race exception, 33 threads; IBM ConTest).
// Ours differs: written anew; C; the best reduction is main and three threads, as in the paper.
// heddle-kernel: family=buggypro kind=assert granularity=sync optimum=1 class=atomicity paper=lean row=BuggyPro
#include <assert.h>
#include <pthread.h>

#include "late.h"

enum { kThreads = 33, kRounds = 10, kSetter = 7, kSweeper = 18, kChecker = 29 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;  // equal whenever the record is not busy
static int busy;
static int lookups[8];

static void look_up(int me, int round) {
  pthread_mutex_lock(&lock);
  lookups[(me + round) % 8]++;
  pthread_mutex_unlock(&lock);
}

static void set(int value) {
  pthread_mutex_lock(&lock);
  busy = 1;
  first = value;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  second = value;
  busy = 0;
  pthread_mutex_unlock(&lock);
}

static void sweep(int safe) {
  pthread_mutex_lock(&lock);
  if (!safe) busy = 0;  // BUG
  pthread_mutex_unlock(&lock);
}

static void check(void) {
  pthread_mutex_lock(&lock);
  assert(busy || first == second);
  pthread_mutex_unlock(&lock);
}

static void* work(void* arg) {
  int me = *(int*)arg;
#ifdef FIXED
  const int fixed = 1;
#else
  const int fixed = 0;
#endif
  for (int round = 0; round < kRounds; round++) HEDDLE_ITERATION {
      late_work();
      look_up(me, round);
      for (int again = 0; again <= WORK; again++) {  // in a long run they meet no less often than in a short one
        if (me == kSetter) set(round + 1);
        if (me == kSweeper) sweep(fixed || late_is_safe(round));
        if (me == kChecker) check();
      }
    }
  return NULL;
}

int main(void) {
  pthread_t t[kThreads];
  int id[kThreads];
  for (int i = 0; i < kThreads; i++) {
    id[i] = i;
    pthread_create(&t[i], NULL, work, &id[i]);
  }
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], NULL);
  check();
  return 0;
}
