// verify: still-fails
// Signalled after the lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static int pages, printed;

static void* print_page(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  if (pages == 0) pthread_cond_wait(&some, &lock);
  assert(pages > 0);
  --pages;
  ++printed;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* spool(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&lock);
    ++pages;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&some);
  }
  return NULL;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], NULL, print_page, NULL);
  pthread_create(&t[1], NULL, print_page, NULL);
  pthread_create(&t[2], NULL, spool, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  return printed == 2 ? 0 : 1;
}
