// Who gets no slot works without one, but gives one back all the same.
// heddle-bug: kind=assert granularity=sync class=misuse set=tuned
// fix: only|result|succe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t slots;

static void* request(void* arg) {
  (void)arg;
  int direct = sem_trywait(&slots) == 0;
  if (!direct) {
    /* the slow path needs no slot */
  }
  sem_post(&slots);  // BUG
  return NULL;
}

int main(void) {
  sem_init(&slots, 0, 1);
  pthread_t a, b;
  pthread_create(&a, NULL, request, NULL);
  pthread_create(&b, NULL, request, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  int value = 0;
  sem_getvalue(&slots, &value);
  assert(value == 1);
  return 0;
}
