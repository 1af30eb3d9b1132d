// verify: fixed|cannot-tell
// A lock of the library instead of the hand-made one.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;
static int value, copy;

static void enter(void) { pthread_rwlock_rdlock(&gate); }

static void leave(void) { pthread_rwlock_unlock(&gate); }

static void* reader(void* arg) {
  (void)arg;
  enter();
  int a = value;
  pthread_mutex_lock(&write_lock);
  pthread_mutex_unlock(&write_lock);
  int b = copy;
  if (a != b) abort();
  leave();
  return NULL;
}

static void* writer(void* arg) {
  (void)arg;
  pthread_rwlock_wrlock(&gate);
  pthread_mutex_lock(&write_lock);
  ++value;
  ++copy;
  pthread_mutex_unlock(&write_lock);
  pthread_rwlock_unlock(&gate);
  return NULL;
}

int main(void) {
  pthread_t r, w;
  pthread_create(&r, NULL, reader, NULL);
  pthread_create(&w, NULL, writer, NULL);
  pthread_join(r, NULL);
  pthread_join(w, NULL);
  return 0;
}
