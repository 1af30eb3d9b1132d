// A reader-writer lock from two counters: the writer tests for readers, then marks itself as writing,
// in two critical sections; a reader slips in and sees the pair half written.
// Stands for: "read_write_lock" of SV-COMP pthread (SCTBench CS).
// Ours differs: the counters are locked; the pair is written in two locked steps.
// heddle-kernel: family=read_write_lock kind=assert granularity=sync optimum=2 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int readers, writing;
static atomic_int x, y;

static int try_write(void) {
  pthread_mutex_lock(&lock);
  int allowed = readers == 0 && !writing;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);  // BUG
#endif
  if (allowed) writing = 1;
  pthread_mutex_unlock(&lock);
  return allowed;
}

static void* writer(void* arg) {
  (void)arg;
  while (!try_write()) sched_yield();
  atomic_store(&x, 3);
  pthread_mutex_lock(&log_lock);
  atomic_store(&y, 3);
  pthread_mutex_unlock(&log_lock);
  pthread_mutex_lock(&lock);
  writing = 0;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  for (;;) {
    pthread_mutex_lock(&lock);
    int allowed = !writing;
    if (allowed) readers++;
    pthread_mutex_unlock(&lock);
    if (allowed) break;
    sched_yield();
  }
  int seen_x = atomic_load(&x);
  pthread_mutex_lock(&log_lock);
  int seen_y = atomic_load(&y);
  pthread_mutex_unlock(&log_lock);
  assert(seen_x == seen_y);
  pthread_mutex_lock(&lock);
  readers--;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t w, r;
  pthread_create(&w, NULL, writer, NULL);
  pthread_create(&r, NULL, reader, NULL);
  pthread_join(w, NULL);
  pthread_join(r, NULL);
  return 0;
}
