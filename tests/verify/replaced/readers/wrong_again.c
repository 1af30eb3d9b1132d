// verify: still-fails
// The count is looked at once more, outside.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int readers;
static int value, copy;

static void enter(void) {
  pthread_mutex_lock(&count_lock);
  ++readers;
  pthread_mutex_unlock(&count_lock);
}

static void leave(void) {
  pthread_mutex_lock(&count_lock);
  if (--readers == 0) pthread_cond_signal(&idle);
  pthread_mutex_unlock(&count_lock);
}

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
  pthread_mutex_lock(&count_lock);
  while (readers > 0) pthread_cond_wait(&idle, &count_lock);
  pthread_mutex_unlock(&count_lock);
  while (readers > 0) sched_yield();
  pthread_mutex_lock(&write_lock);
  ++value;
  ++copy;
  pthread_mutex_unlock(&write_lock);
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
