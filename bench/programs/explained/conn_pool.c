// A pool of connections: who returns one signals only if the pool was empty, so of two that wait the second is not woken.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=tuned
// fix: signal|broadcast|every
#include <pthread.h>

#define CONNECTIONS 2
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t available = PTHREAD_COND_INITIALIZER;
static int free_connections = CONNECTIONS;

static void acquire(void) {
  pthread_mutex_lock(&lock);
  while (free_connections == 0) pthread_cond_wait(&available, &lock);
  --free_connections;
  pthread_mutex_unlock(&lock);
}

static void release(void) {
  pthread_mutex_lock(&lock);
  if (free_connections++ == 0) pthread_cond_signal(&available);  // BUG
  pthread_mutex_unlock(&lock);
}

static void* client(void* unused) {
  acquire();
  release();
  return unused;
}

int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], NULL, client, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
  return 0;
}
