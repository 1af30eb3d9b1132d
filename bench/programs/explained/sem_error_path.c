// A connection slot is not given back when the request is bad.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: every path|post|give|back|release
#include <pthread.h>
#include <semaphore.h>

static sem_t slots;

static int handle(int request) {
  sem_wait(&slots);                 // BUG
  if (request % 3 == 0) return -1;  // BUG
  sem_post(&slots);
  return 0;
}

static void* client(void* p) {
  for (int i = 0; i < 2; i++) handle((int)(long)p + i);
  return 0;
}

int main(void) {
  sem_init(&slots, 0, 1);
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, client, (void*)(i * 2 + 1));
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
