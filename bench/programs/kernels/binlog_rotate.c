// Rotating a log closes it and opens the next one, each under the lock; a commit that comes in between
// finds no open log and is not written anywhere.
// Stands for: MySQL bug 791 (binary log rotation loses an event), a row of AVIO, CTrigger and others.
// Ours differs: two logs in memory, one commit.
// heddle-kernel: family=binlog_rotate kind=assert granularity=sync optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open = true;
static int current, written[2];

static void* rotate(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  is_open = false;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);  // BUG
#endif
  current = 1;
  is_open = true;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* commit(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  if (is_open) written[current]++;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t r, c;
  pthread_create(&r, NULL, rotate, NULL);
  pthread_create(&c, NULL, commit, NULL);
  pthread_join(r, NULL);
  pthread_join(c, NULL);
  assert(written[0] + written[1] == 1);
  return 0;
}
