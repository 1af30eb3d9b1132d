// A buffer waits on its inner lock's condition while the caller still holds an outer lock that the
// other side needs to get in and signal.
// Stands for: the nested monitor lockout (Lea, Concurrent Programming in Java; "NestedMonitor" in jpf suites).
// Ours differs: if the putter comes first nothing goes wrong, so it depends on the schedule.
// heddle-kernel: family=nested_monitor kind=deadlock granularity=sync optimum=0 class=deadlock
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void* get(void* arg) {
  (void)arg;
#ifndef FIXED
  pthread_mutex_lock(&outer);
#endif
  pthread_mutex_lock(&inner);
  while (items == 0) pthread_cond_wait(&not_empty, &inner);  // BUG
  items--;
  pthread_mutex_unlock(&inner);
#ifdef FIXED
  pthread_mutex_lock(&outer);
#endif
  taken++;
  pthread_mutex_unlock(&outer);
  return NULL;
}

static void* put(void* arg) {
  (void)arg;
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  items++;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
  return NULL;
}

int main(void) {
  pthread_t g, p;
  pthread_create(&g, NULL, get, NULL);
  pthread_create(&p, NULL, put, NULL);
  pthread_join(g, NULL);
  pthread_join(p, NULL);
  return taken != 1;
}
