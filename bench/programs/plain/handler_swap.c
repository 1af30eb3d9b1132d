// A handler is asked for and then called: in between it is taken away.
// heddle-bug: kind=signal granularity=access class=atomicity,race,order set=held
#include <pthread.h>
#include <stddef.h>

static int calls;
static void count(void) { __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); }
static void (*volatile handler)(void) = count;

static void* fire(void* arg) {
  (void)arg;
  if (handler != NULL)  // BUG
    handler();          // BUG
  return NULL;
}

static void* remove_handler(void* arg) {
  (void)arg;
  handler = NULL;  // BUG
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, fire, NULL);
  pthread_create(&b, NULL, remove_handler, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
