// The pool is freed when the job counter says that all is done; the last worker has not yet given its lock back.
// heddle-bug: kind=signal,misuse,abort granularity=access class=uaf set=held
// fix: join|wait|end|before|unlock|hold
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pool {
  pthread_mutex_t lock;
  int jobs[4];
  int* results;
  atomic_int left;
};

static void* work(void* arg) {
  struct pool* p = arg;
  pthread_mutex_lock(&p->lock);
  int job = p->jobs[0];
  pthread_mutex_unlock(&p->lock);
  atomic_fetch_sub(&p->left, 1);  // BUG
  p->results[0] = job * 2;        // FIX
  return NULL;
}

int main(void) {
  struct pool* p = calloc(1, sizeof *p);
  p->results = calloc(4, sizeof(int));
  pthread_mutex_init(&p->lock, NULL);
  atomic_init(&p->left, 1);
  pthread_t id;
  pthread_create(&id, NULL, work, p);
  pthread_detach(id);
  while (atomic_load(&p->left) > 0) sched_yield();
  int* results = p->results;
  p->results = NULL;
  free(results);  // FIX
  pthread_mutex_destroy(&p->lock);
  pthread_exit(NULL);
}
