// The access that decides is seen by nobody (an ordinary compiler built this), and lies behind an operation on a lock of the thread's own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t timer = PTHREAD_MUTEX_INITIALIZER, statistics = PTHREAD_MUTEX_INITIALIZER;
static atomic_int armed = 1, dead;

static void* callback(void* arg) {
  (void)arg;
  pthread_mutex_lock(&timer);
  const int run = atomic_load(&armed);
  pthread_mutex_unlock(&timer);
  if (!run) return NULL;
  pthread_mutex_lock(&statistics);
  pthread_mutex_unlock(&statistics);
  assert(!atomic_load(&dead));
  return NULL;
}

static void* owner(void* arg) {
  (void)arg;
  pthread_mutex_lock(&timer);
  atomic_store(&armed, 0);
  pthread_mutex_unlock(&timer);
  atomic_store(&dead, 1);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, callback, NULL);
  pthread_create(&b, NULL, owner, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
