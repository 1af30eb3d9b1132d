// A bounded buffer with two conditions; the consumer signals the one that consumers wait for.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=held
// fix: signal|broadcast|wake
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int count;

static void put(void) {
  pthread_mutex_lock(&m);
  while (count == 1) pthread_cond_wait(&not_full, &m);
  ++count;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&m);
}
static void get(void) {
  pthread_mutex_lock(&m);
  while (count == 0) pthread_cond_wait(&not_empty, &m);
  --count;
  pthread_cond_signal(&not_empty);  // BUG
  pthread_mutex_unlock(&m);
}

static void* producer(void* unused) {
  put();
  put();
  return unused;
}
static void* consumer(void* unused) {
  get();
  get();
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, producer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
