// A recursive lock taken twice is given back once where the answer is known, and the thread ends.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,misuse set=tuned
// fix: without releasing|unlock
#include <pthread.h>
static pthread_mutex_t m;
static int depth, cached;
static int lookup(void) {
  pthread_mutex_lock(&m);
  if (cached) {
    return cached;  // BUG
  }
  pthread_mutex_unlock(&m);
  return 0;
}
static void* reader(void* a) {
  (void)a;
  pthread_mutex_lock(&m);
  depth += lookup();
  pthread_mutex_unlock(&m);
  return 0;
}
static void* filler(void* a) {
  (void)a;
  pthread_mutex_lock(&m);
  cached = 3;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_mutexattr_t at;
  pthread_mutexattr_init(&at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &at);
  pthread_t t, u;
  pthread_create(&u, 0, filler, 0);
  pthread_create(&t, 0, reader, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  pthread_mutex_lock(&m);
  return depth > 3;
}
