// verify: fixed
// Set under the lock.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t served = PTHREAD_COND_INITIALIZER;
static atomic_int coffee;

static void* guest(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  while (!atomic_load(&coffee)) pthread_cond_wait(&served, &lock);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* barista(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  atomic_store(&coffee, 1);
  pthread_mutex_unlock(&lock);
  pthread_cond_signal(&served);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, guest, NULL);
  pthread_create(&b, NULL, barista, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_mutex_destroy(&other);
  return 0;
}
