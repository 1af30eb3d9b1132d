// Goes round over a lock until another thread, which is ready all the time, has done its part: with points in each round.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int go;

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&m);
  go = 1;
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  for (int seen = 0; !seen;) {
    pthread_mutex_lock(&m);
    seen = go;
    pthread_mutex_unlock(&m);
  }
  pthread_join(t, NULL);
  puts("seen");
  return 0;
}
