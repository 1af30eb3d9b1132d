// A read lock and a mutex, taken in two orders.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: one order|same order
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void* writer(void* arg) {
  (void)arg;
  pthread_rwlock_wrlock(&table);
  pthread_mutex_lock(&log_lock);  // BUG
  pthread_mutex_unlock(&log_lock);
  pthread_rwlock_unlock(&table);
  return NULL;
}

static void* reporter(void* arg) {
  (void)arg;
  pthread_mutex_lock(&log_lock);
  pthread_rwlock_rdlock(&table);  // BUG
  pthread_rwlock_unlock(&table);
  pthread_mutex_unlock(&log_lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reporter, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
