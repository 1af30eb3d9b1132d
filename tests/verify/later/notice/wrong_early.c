// verify: still-fails
// The lock is held while it writes to the pipe, not until the result is there.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pipes[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void set(int value) {
  pthread_mutex_lock(&lock);
  result = value;
  pthread_mutex_unlock(&lock);
}

static int get(void) {
  pthread_mutex_lock(&lock);
  const int value = result;
  pthread_mutex_unlock(&lock);
  return value;
}

static void* compute(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  const long n = write(pipes[1], "x", 1);
  pthread_mutex_unlock(&lock);
  if (n != 1) return NULL;
  set(42);
  return NULL;
}

int main(void) {
  if (pipe(pipes) != 0) return 1;
  pthread_t a;
  pthread_create(&a, NULL, compute, NULL);
  char c;
  if (read(pipes[0], &c, 1) != 1) return 1;
  const int value = get();
  assert(value == 42);
  pthread_join(a, NULL);
  return 0;
}
