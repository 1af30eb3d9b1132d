// Readers and a writer: the first reader locks out the writer, the last lets it in; the count is changed outside of the lock that guards it.
// heddle-kernel: family=reader_count kind=assert granularity=access class=race
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static volatile int readers;
static int data, copy;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t resource;

static void* reader(void* unused) {
  (void)unused;
  pthread_mutex_lock(&count_lock);
  readers = readers + 1;
  if (readers == 1) sem_wait(&resource);
  pthread_mutex_unlock(&count_lock);
  assert(data == copy);
#ifdef FIXED
  pthread_mutex_lock(&count_lock);
  readers = readers - 1;
#else
  readers = readers - 1;  // BUG
  pthread_mutex_lock(&count_lock);
#endif
  if (readers == 0) sem_post(&resource);
  pthread_mutex_unlock(&count_lock);
  return NULL;
}

static void* writer(void* unused) {
  (void)unused;
  sem_wait(&resource);
  ++data;
  ++copy;
  sem_post(&resource);
  return NULL;
}

int main(void) {
  sem_init(&resource, 0, 1);
  pthread_t t[3];
  pthread_create(&t[0], NULL, reader, NULL);
  pthread_create(&t[1], NULL, reader, NULL);
  pthread_create(&t[2], NULL, writer, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  return 0;
}
