// Fails without any preemption: the writer waits for the semaphore, and the reader comes before the one who posts it. The reader
// shares nothing with the others but a variable, which nobody sees in a build without instrumentation.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static sem_t posted;
static volatile int halfway;

static void* reads(void* unused) {
  (void)unused;
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
  if (halfway) abort();
  return NULL;
}

static void* posts(void* unused) {
  (void)unused;
  sem_post(&posted);
  return NULL;
}

static void* writes(void* unused) {
  (void)unused;
  halfway = 1;
  sem_wait(&posted);
  halfway = 0;
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  sem_init(&posted, 0, 0);
  pthread_create(&threads[0], NULL, reads, NULL);
  pthread_create(&threads[1], NULL, posts, NULL);
  pthread_create(&threads[2], NULL, writes, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
