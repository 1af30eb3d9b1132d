// verify: fixed|cannot-tell
// Another mechanism altogether.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int ready, made;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void) {
  made = made + 1;
  ready = 1;
}

static void* use(void* arg) {
  (void)arg;
  pthread_once(&once, make);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, use, NULL);
  pthread_create(&b, NULL, use, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(made == 1);
  return 0;
}
