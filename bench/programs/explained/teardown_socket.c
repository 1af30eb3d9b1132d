// A session is closed by one thread while another is about to answer on it.
// heddle-bug: kind=signal granularity=sync class=uaf set=held
// fix: (wait|join|end|lock|reference).*
#include <pthread.h>
#include <stdlib.h>

struct session {
  pthread_mutex_t lock;
  int* buffer;
};
static struct session s = {PTHREAD_MUTEX_INITIALIZER, NULL};

static void* answer(void* arg) {
  (void)arg;
  pthread_mutex_lock(&s.lock);
  s.buffer[0] = 1;
  pthread_mutex_unlock(&s.lock);
  return NULL;
}

static void close_session(void) {
  pthread_mutex_lock(&s.lock);
  free(s.buffer);
  s.buffer = NULL;  // BUG
  pthread_mutex_unlock(&s.lock);
}

int main(void) {
  pthread_t t;
  s.buffer = malloc(64);
  pthread_create(&t, NULL, answer, NULL);
  close_session();
  pthread_join(t, NULL);  // FIX
  return 0;
}
