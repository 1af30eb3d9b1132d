// The reader takes the buffer's mutex and the writer is meant to give it back: a mutex has an owner.
// heddle-bug: kind=misuse,deadlock,assert granularity=sync class=misuse set=held
// fix: only|thread that|owner|semaphore|same thread
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t busy;

static void* reader(void* unused) {
  (void)unused;
  pthread_mutex_lock(&busy);  // BUG
  return 0;
}

static void* writer(void* unused) {
  (void)unused;
  const int error = pthread_mutex_unlock(&busy);  // BUG
  assert(error == 0 || error == EPERM);
  return 0;
}

int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutex_init(&busy, &a);
  pthread_t t[2];
  pthread_create(&t[0], 0, reader, 0);
  pthread_create(&t[1], 0, writer, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
