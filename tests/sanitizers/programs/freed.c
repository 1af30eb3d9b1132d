// One thread uses the block after another has freed it, under some schedules.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* box;

static void* use(void* unused) {
  pthread_mutex_lock(&lock);
  int* seen = box;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (seen != NULL) *seen += 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* drop(void* unused) {
  pthread_mutex_lock(&lock);
  int* old = box;
  box = NULL;
  pthread_mutex_unlock(&lock);
  free(old);
  return unused;
}

int main(void) {
  box = calloc(1, sizeof *box);
  pthread_t a, b;
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, drop, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
