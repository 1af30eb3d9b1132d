// The count is lowered under the lock and looked at after it: two may see none, and both free.
#include <pthread.h>
#include <stdlib.h>

struct shared {
  pthread_mutex_t lock;
  int refs;
};
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static void* buffer;

static void release(struct shared* s) {
  pthread_mutex_lock(&s->lock);
  --s->refs;
  pthread_mutex_unlock(&s->lock);
  if (s->refs == 0) free(buffer);
}

static void* user(void* arg) {
  release(arg);
  return NULL;
}

int main(void) {
  static struct shared s = {PTHREAD_MUTEX_INITIALIZER, 2};
  buffer = malloc(32);
  pthread_t a, b;
  pthread_create(&a, NULL, user, &s);
  pthread_create(&b, NULL, user, &s);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_mutex_destroy(&other);
  return 0;
}
