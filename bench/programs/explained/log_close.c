// The log is closed (its buffer freed) under its lock; a late writer takes the lock and writes.
// heddle-bug: kind=misuse,signal granularity=access class=uaf set=held
// fix: (wait|end|join|before|lock|reference).*
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char* buffer;
static int used;

static void* writer(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  buffer[used++] = 'x';
  pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t t;
  buffer = malloc(16);
  pthread_create(&t, NULL, writer, NULL);
  pthread_mutex_lock(&m);
  free(buffer);  // BUG
  buffer = NULL;
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);  // FIX
  return 0;
}
