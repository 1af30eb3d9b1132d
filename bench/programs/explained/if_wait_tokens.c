// The same with tokens that a third thread may take at once, and the wait in a helper.
// heddle-bug: kind=exit granularity=sync class=wait set=held
// fix: while|loop|again
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int tokens;

static void await_token(void) {
  if (tokens == 0) {
    pthread_cond_wait(&c, &m);  // BUG
  }
}

static void* taker(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  await_token();
  tokens--;
  if (tokens < 0) exit(3);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* giver(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    tokens++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b, g;
  pthread_create(&a, NULL, taker, NULL);
  pthread_create(&b, NULL, taker, NULL);
  pthread_create(&g, NULL, giver, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(g, NULL);
  return 0;
}
