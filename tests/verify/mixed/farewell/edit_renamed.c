// verify: still-fails
// A runner says that it is done, and then looks at its task once more.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct task {
  pthread_mutex_t lock;
  pthread_cond_t finished;
  int done;
  int gone;
  int result;
};

static void finish(struct task* j, int result) {
  pthread_mutex_lock(&j->lock);
  j->result = result;
  j->done = 1;
  pthread_cond_signal(&j->finished);
  pthread_mutex_unlock(&j->lock);
}

static void* runner(void* arg) {
  struct task* j = arg;
  finish(j, 11);
  pthread_mutex_lock(&j->lock);
  int gone = j->gone;
  pthread_mutex_unlock(&j->lock);
  assert(!gone);
  return NULL;
}

static int wait_for(struct task* j) {
  pthread_mutex_lock(&j->lock);
  while (!j->done) pthread_cond_wait(&j->finished, &j->lock);
  int result = j->result;
  pthread_mutex_unlock(&j->lock);
  return result;
}

static void release(struct task* j) {
  pthread_mutex_lock(&j->lock);
  j->gone = 1;
  pthread_mutex_unlock(&j->lock);
}

int main(void) {
  static struct task j = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
  pthread_t t;
  pthread_create(&t, NULL, runner, &j);
  int got = wait_for(&j);
  release(&j);
  pthread_join(t, NULL);
  return got == 11 ? 0 : 1;
}
