// One thread looks at data before it knows that the other has written them, under some schedules.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written;
int data, seen;

static void* write_it(void* unused) {
  data = 1;
  pthread_mutex_lock(&lock);
  written = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* read_it(void* unused) {
  pthread_mutex_lock(&lock);
  const int there = written;
  pthread_mutex_unlock(&lock);
  seen = there ? 0 : data;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, write_it, NULL);
  pthread_create(&b, NULL, read_it, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
