// Three locks in a ring.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: one order|same order
#include <pthread.h>

static pthread_mutex_t fork_of[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void* eater(void* arg) {
  long me = (long)arg;
  pthread_mutex_lock(&fork_of[me]);
  pthread_mutex_lock(&fork_of[(me + 1) % 3]);  // BUG
  pthread_mutex_unlock(&fork_of[(me + 1) % 3]);
  pthread_mutex_unlock(&fork_of[me]);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, eater, (void*)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return 0;
}
