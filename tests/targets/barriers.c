// heddle: expect=none runs<=60
// Barriers that come and go while other threads use another one.
#include <pthread.h>

static pthread_barrier_t stays, goes[2];

static void* meet(void* unused) {
  (void)unused;
  for (int i = 0; i < 2; ++i) pthread_barrier_wait(&stays);
  return 0;
}

static void* renew(void* barrier) {
  for (int i = 0; i < 3; ++i) {
    if (pthread_barrier_wait(barrier) != PTHREAD_BARRIER_SERIAL_THREAD) return barrier;
    pthread_barrier_destroy(barrier);
    pthread_barrier_init(barrier, 0, 1);
  }
  return 0;
}

int main(void) {
  pthread_t threads[4];
  void* failed = 0;
  for (int i = 0; i < 2; ++i) pthread_barrier_init(&goes[i], 0, 1);
  pthread_barrier_init(&stays, 0, 2);
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, i < 2 ? meet : renew, i < 2 ? 0 : &goes[i - 2]);
  for (int i = 0; i < 4; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    if (result != 0) failed = result;
  }
  pthread_barrier_destroy(&stays);
  return failed != 0;
}
