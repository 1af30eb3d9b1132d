// The semaphore begins with one permit fewer than the pool has slots to wait for.
// heddle-bug: kind=deadlock granularity=sync class=deadlock,lost-wakeup set=held
// fix: (post|permit|count).*
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void* server(void* arg) {
  (void)arg;
  sem_post(&ready);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  sem_init(&ready, 0, 0);
  pthread_create(&a, NULL, server, NULL);
  pthread_create(&b, NULL, server, NULL);
  for (int i = 0; i < 3; i++) sem_wait(&ready);  // BUG
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
