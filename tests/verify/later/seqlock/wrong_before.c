// verify: still-fails
// Changes it before instead of after.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int sequence;
static atomic_int x, y;

static void* writer(void* arg) {
  (void)arg;
  atomic_fetch_add(&sequence, 2);
  atomic_store(&x, 1);
  atomic_store(&y, 1);
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  const int before = atomic_load(&sequence);
  const int a = atomic_load(&x);
  const int b = atomic_load(&y);
  if (before % 2 == 0 && atomic_load(&sequence) == before) assert(a == b);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
