// A reader takes the read side a second time while a writer waits; the lock prefers writers, so the
// reader waits for the writer and the writer for the reader.
// Stands for: recursive read locking under a writer-preferring lock, a classic of the Linux and JDK trackers.
// Ours differs: a small writer-preferring lock of our own, so that it does not depend on the C library.
// heddle-kernel: family=rwlock kind=deadlock granularity=sync optimum=1 class=deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writing, writers_waiting;
static int value, total;

static void read_lock(void) {
  pthread_mutex_lock(&lock);
  while (writing || writers_waiting) pthread_cond_wait(&changed, &lock);
  readers++;
  pthread_mutex_unlock(&lock);
}

static void read_unlock(void) {
  pthread_mutex_lock(&lock);
  readers--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

#ifndef FIXED
static int get(void) {
  read_lock();
  int v = value;
  read_unlock();
  return v;
}
#endif

static void* reader(void* arg) {
  (void)arg;
  read_lock();
#ifdef FIXED
  total = value + value;
#else
  total = value + get();  // BUG
#endif
  read_unlock();
  return NULL;
}

static void* writer(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  writers_waiting++;
  while (readers || writing) pthread_cond_wait(&changed, &lock);
  writers_waiting--;
  writing = 1;
  pthread_mutex_unlock(&lock);
  value = 1;
  pthread_mutex_lock(&lock);
  writing = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t r, w;
  pthread_create(&r, NULL, reader, NULL);
  pthread_create(&w, NULL, writer, NULL);
  pthread_join(r, NULL);
  pthread_join(w, NULL);
  return total == 1;
}
