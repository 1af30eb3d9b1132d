// Fails only where two threads take a lock strictly in turn, all the way: rare enough that some shards of a campaign find it and others do not.
#include <assert.h>
#include <pthread.h>

#ifndef TURNS
#define TURNS 8
#endif
enum { kTurns = TURNS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last, changes;

static void* take_turns(void* arg) {
  const int me = *(int*)arg;
  for (int i = 0; i < kTurns; ++i) {
    pthread_mutex_lock(&lock);
    if (last != me) ++changes;
    last = me;
    pthread_mutex_unlock(&lock);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  int one = 1, two = 2;
  pthread_create(&a, 0, take_turns, &one);
  pthread_create(&b, 0, take_turns, &two);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(changes < 2 * kTurns);
  return 0;
}
