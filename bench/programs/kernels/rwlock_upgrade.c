// Two readers of a reader-writer lock both upgrade to writers without letting go of their read side:
// each waits for the other to leave.
// Stands for: the rwlock-upgrade deadlock known from database and file-system code.
// Ours differs: an upgradeable lock of our own; in the fixed twin the second upgrader backs off.
// heddle-kernel: family=rwlock kind=deadlock granularity=sync optimum=1 class=deadlock
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers;
static bool upgrading, writing;
static int value;

static void read_lock(void) {
  pthread_mutex_lock(&lock);
  while (writing) pthread_cond_wait(&changed, &lock);
  readers++;
  pthread_mutex_unlock(&lock);
}

static void read_unlock(void) {
  pthread_mutex_lock(&lock);
  readers--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static bool upgrade(void) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  if (upgrading) {
    pthread_mutex_unlock(&lock);
    return false;
  }
#endif
  upgrading = true;
  while (readers > 1) pthread_cond_wait(&changed, &lock);  // BUG
  readers = 0;
  upgrading = false;
  writing = true;
  pthread_mutex_unlock(&lock);
  return true;
}

static void write_unlock(void) {
  pthread_mutex_lock(&lock);
  writing = false;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void* increment(void* arg) {
  (void)arg;
  for (;;) {
    read_lock();
    int seen = value;
    if (upgrade()) {
      value = seen + 1;
      write_unlock();
      return NULL;
    }
    read_unlock();
    sched_yield();
  }
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, increment, NULL);
  pthread_create(&b, NULL, increment, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(value == 2);
  return 0;
}
