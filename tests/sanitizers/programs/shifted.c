// A shift is too large while the other thread is between its two critical sections.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int width = 3;
static volatile int result;

static void set_width(int value) {
  pthread_mutex_lock(&lock);
  width = value;
  pthread_mutex_unlock(&lock);
}

static void* use(void* unused) {
  pthread_mutex_lock(&lock);
  const int by = width;
  pthread_mutex_unlock(&lock);
  result = 1 << by;
  return unused;
}

static void* change(void* unused) {
  set_width(40);
  set_width(3);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, change, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
