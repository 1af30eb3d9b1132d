// A download in segments; a saver writes how far each has come and the sum, which it reads before the segments go on.
// heddle-kernel: family=segments_save kind=assert granularity=sync class=atomicity
#include <assert.h>
#include <pthread.h>

enum { kSegments = 3, kPieces = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done[kSegments], total;

static void* fetch(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < kPieces; ++i) {
    pthread_mutex_lock(&lock);
    ++done[me];
    ++total;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void* save(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  const int saved_total = total;
#ifndef FIXED
  pthread_mutex_unlock(&lock);  // BUG
  pthread_mutex_lock(&lock);
#endif
  int sum = 0;
  for (int i = 0; i < kSegments; ++i) sum += done[i];
  pthread_mutex_unlock(&lock);
  assert(sum == saved_total);
  return NULL;
}

int main(void) {
  pthread_t threads[kSegments + 1];
  pthread_create(&threads[kSegments], NULL, save, NULL);
  for (long i = 0; i < kSegments; ++i) pthread_create(&threads[i], NULL, fetch, (void*)i);
  for (int i = 0; i <= kSegments; ++i) pthread_join(threads[i], NULL);
  return 0;
}
