// Calls a function through a pointer that is not set in one order of the threads.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*volatile on_event)(int);
static int handled;

static void handle(int n) { handled += n; }

static void* source(void* unused) {
  pthread_mutex_lock(&lock);
  on_event(3);  // the call
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, source, NULL);
  pthread_mutex_lock(&lock);
  on_event = handle;
  pthread_mutex_unlock(&lock);
  pthread_join(t, NULL);
  return handled == 3 ? 0 : 1;
}
