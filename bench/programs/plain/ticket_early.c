// A ticket lock that calls the next one before the work is done.
// heddle-bug: kind=assert granularity=access class=atomicity,race,order set=held
#include <assert.h>
#include <pthread.h>

static int next_ticket, serving;
static int total;

static void* add(void* arg) {
  (void)arg;
  int mine = __sync_fetch_and_add(&next_ticket, 1);
  while (__atomic_load_n(&serving, __ATOMIC_ACQUIRE) != mine) {
  }
  int sum = total + 10;  // BUG
  __atomic_store_n(&serving, mine + 1, __ATOMIC_RELEASE);
  total = sum;  // BUG
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(total == 30);
  return 0;
}
