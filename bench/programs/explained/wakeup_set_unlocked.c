// The waiter tests under the lock, in a loop; the other side sets the flag and signals without the lock.
// heddle-bug: kind=deadlock granularity=access class=lost-wakeup set=tuned
// fix: (under|hold|with|take).*lock
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void* waiter(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  while (!atomic_load(&ready)) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* setter(void* arg) {
  (void)arg;
  atomic_store(&ready, 1);  // BUG
  pthread_cond_signal(&c);  // FIX
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, setter, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
