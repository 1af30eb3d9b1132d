// One producer, one consumer, and an if around the wait: only a wait that ends by itself shows it.
// heddle-kernel: family=spurious_single kind=assert granularity=sync class=wait
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queued;

static void* consumer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (queued == 0) pthread_cond_wait(&filled, &lock);
#else
  if (queued == 0) pthread_cond_wait(&filled, &lock);  // BUG
#endif
  assert(queued == 1);
  --queued;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* producer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  ++queued;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, consumer, NULL);
  pthread_create(&b, NULL, producer, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
