// heddle: expect=abort preemptions=1 runs<=200 message="double free"
// The open flag is read before the lock that guards the closing.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_open = 1;
static char* buffer;

static void* close_it(void* unused) {
  (void)unused;
  const int mine = atomic_load(&is_open);
  pthread_mutex_lock(&lock);
  if (mine) {
    atomic_store(&is_open, 0);
    free(buffer);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t one, two;
  buffer = malloc(32);
  pthread_create(&one, 0, close_it, 0);
  pthread_create(&two, 0, close_it, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
