// Three stages start at 0, 1 and 2 ms and rely on it; the second is slow.
// heddle-kernel: family=sleep_stages kind=assert granularity=sync class=order
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int stage;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#endif

static void* run(void* argument) {
  const int me = (int)(long)argument;
#ifdef FIXED
  pthread_mutex_lock(&lock);
  while (atomic_load(&stage) != me) pthread_cond_wait(&changed, &lock);
  atomic_store(&stage, me + 1);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
#else
  usleep((useconds_t)me * 1000);  // BUG
  pthread_mutex_lock(&lock);
  assert(atomic_load(&stage) == me);
  atomic_store(&stage, me + 1);
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; ++i) pthread_create(&t[i], NULL, run, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  return 0;
}
