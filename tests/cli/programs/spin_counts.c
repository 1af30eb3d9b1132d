// A loop that waits without a call and does something in each round; the others have locks to take.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int go;
static atomic_long polls;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void* worker(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&m);
    ++turns;
    pthread_mutex_unlock(&m);
  }
  atomic_store(&go, 1);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  while (!atomic_load(&go)) atomic_fetch_add(&polls, 1);
  pthread_join(t, NULL);
  printf("%d turns\n", turns);
  return 0;
}
