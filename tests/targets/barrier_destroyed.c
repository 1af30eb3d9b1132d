// heddle: expect=misuse runs<=100 message="destroyed"
// The barrier is destroyed as soon as its creator has passed it, and sometimes another thread comes to it afterwards.
#include <pthread.h>

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int over;

static void* late(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  const int comes = !over;
  pthread_mutex_unlock(&lock);
  if (comes) pthread_barrier_wait(&barrier);
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_barrier_init(&barrier, 0, 1);
  pthread_create(&other, 0, late, 0);
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&lock);
  over = 1;
  pthread_mutex_unlock(&lock);
  pthread_barrier_destroy(&barrier);
  pthread_join(other, 0);
  return 0;
}
