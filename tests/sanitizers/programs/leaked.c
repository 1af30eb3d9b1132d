// Two threads may both find the box empty: then one block is lost.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* box;

static void* put(void* unused) {
  int* block = malloc(44);
  *block = 1;
  pthread_mutex_lock(&lock);
  const int full = box != NULL;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  if (full) {
    free(block);
  } else {
    box = block;
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, put, NULL);
  pthread_create(&b, NULL, put, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(box);
  box = NULL;
  return 0;
}
