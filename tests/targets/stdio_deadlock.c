// A stream's lock and a mutex, taken in both orders: the second lock of one of the two is inside fputs.
// heddle: expect=deadlock preemptions=1 runs<=500
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE* stream;

static void* stream_first(void* unused) {
  (void)unused;
  flockfile(stream);
  pthread_mutex_lock(&mutex);
  fputs("one\n", stream);
  pthread_mutex_unlock(&mutex);
  funlockfile(stream);
  return NULL;
}

static void* mutex_first(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  fputs("two\n", stream);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  stream = tmpfile();
  pthread_t a, b;
  pthread_create(&a, NULL, stream_first, NULL);
  pthread_create(&b, NULL, mutex_first, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
