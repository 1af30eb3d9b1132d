// Buffers are handed out; who finds none waits, once, and takes one without looking again.
// heddle-bug: kind=assert granularity=sync class=wait set=tuned
// fix: while|loop|again
#include <assert.h>
#include <pthread.h>

struct store {
  pthread_mutex_t guard;
  pthread_cond_t some;
  int unused;
};

static struct store buffers = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1};

static void take(struct store* s) {
  pthread_mutex_lock(&s->guard);
  if (s->unused == 0) pthread_cond_wait(&s->some, &s->guard);  // BUG
  s->unused--;
  assert(s->unused >= 0);
  pthread_mutex_unlock(&s->guard);
}

static void give(struct store* s) {
  pthread_mutex_lock(&s->guard);
  s->unused++;
  pthread_cond_signal(&s->some);
  pthread_mutex_unlock(&s->guard);
}

static void* client(void* arg) {
  (void)arg;
  take(&buffers);
  give(&buffers);
  return NULL;
}

int main(void) {
  pthread_t ids[3];
  for (int i = 0; i < 3; i++) pthread_create(&ids[i], NULL, client, NULL);
  for (int i = 0; i < 3; i++) pthread_join(ids[i], NULL);
  return 0;
}
