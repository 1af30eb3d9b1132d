// verify: still-fails
// A worker says that it is done, and then looks at its job once more.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
  pthread_mutex_t lock;
  pthread_cond_t finished;
  int done;
  int released;
  int result;
};

static void complete(struct job* j, int result) {
  pthread_mutex_lock(&j->lock);
  j->result = result;
  j->done = 1;
  pthread_cond_broadcast(&j->finished);
  pthread_mutex_unlock(&j->lock);
}

static void* worker(void* arg) {
  struct job* j = arg;
  complete(j, 11);
  pthread_mutex_lock(&j->lock);
  int released = j->released;
  pthread_mutex_unlock(&j->lock);
  assert(!released);
  return NULL;
}

static int await(struct job* j) {
  pthread_mutex_lock(&j->lock);
  while (!j->done) pthread_cond_wait(&j->finished, &j->lock);
  int result = j->result;
  pthread_mutex_unlock(&j->lock);
  return result;
}

static void release(struct job* j) {
  pthread_mutex_lock(&j->lock);
  j->released = 1;
  pthread_mutex_unlock(&j->lock);
}

int main(void) {
  static struct job j = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
  pthread_t t;
  pthread_create(&t, NULL, worker, &j);
  int got = await(&j);
  release(&j);
  pthread_join(t, NULL);
  return got == 11 ? 0 : 1;
}
