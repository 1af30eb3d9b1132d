// Closing wakes one of the consumers that wait.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=tuned
// fix: broadcast|all
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int items, closed;
static void* consumer(void* a) {
  (void)a;
  pthread_mutex_lock(&m);
  while (items == 0 && !closed) pthread_cond_wait(&not_empty, &m);
  if (items) items--;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, consumer, 0);
  pthread_mutex_lock(&m);
  items = 1;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  closed = 1;
  pthread_cond_signal(&not_empty);  // BUG
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
