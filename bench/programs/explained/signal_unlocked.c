// The result is announced by an atomic flag and a signal without the waiter's lock.
// heddle-bug: kind=deadlock granularity=access class=lost-wakeup set=held
// fix: lock
#include <pthread.h>
#include <stdatomic.h>

struct request {
  pthread_mutex_t m;
  pthread_cond_t answered;
  atomic_int done;
  int status;
};
static struct request r = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void* server(void* unused) {
  r.status = 200;
  atomic_store(&r.done, 1);  // BUG
  pthread_cond_signal(&r.answered);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, server, NULL);
  pthread_mutex_lock(&r.m);
  while (!atomic_load(&r.done)) pthread_cond_wait(&r.answered, &r.m);
  pthread_mutex_unlock(&r.m);
  pthread_join(t, NULL);
  return r.status != 200;
}
