// verify: cannot-tell
// No threads any more.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first = -1, entries;

static void* enter(void* arg) {
  const int me = *(int*)arg;
  pthread_mutex_lock(&lock);
  const int number = entries;
  pthread_mutex_unlock(&lock);
  if (number == 0) {
    pthread_mutex_lock(&lock);
    assert(first == -1);
    first = me;
    entries = 1;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  static int one = 1, two = 2;
  enter(&one);
  enter(&two);
  printf("%d was first\n", first);
  return 0;
}
