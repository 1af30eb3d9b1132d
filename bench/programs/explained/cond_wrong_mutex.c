// The flag is changed under another lock than that of the wait.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup set=held
// fix: (under|hold|with|take|same).*lock
#include <pthread.h>

static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER, data_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static int is_full(void) {
  pthread_mutex_lock(&data_lock);
  int now = full;
  pthread_mutex_unlock(&data_lock);
  return now;
}

static void* waiter(void* arg) {
  (void)arg;
  pthread_mutex_lock(&wait_lock);
  while (!is_full()) pthread_cond_wait(&changed, &wait_lock);
  pthread_mutex_unlock(&wait_lock);
  return NULL;
}

static void* filler(void* arg) {
  (void)arg;
  pthread_mutex_lock(&data_lock);  // BUG
  full = 1;
  pthread_mutex_unlock(&data_lock);
  pthread_cond_signal(&changed);  // BUG
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, filler, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
