// heddle: expect=deadlock preemptions=1 runs<=300
// Two resources of one unit each, asked for in opposite orders.
#include <pthread.h>
#include <semaphore.h>

static sem_t first, second;

static void* forward(void* unused) {
  (void)unused;
  sem_wait(&first);
  sem_wait(&second);
  sem_post(&second);
  sem_post(&first);
  return 0;
}

static void* backward(void* unused) {
  (void)unused;
  sem_wait(&second);
  sem_wait(&first);
  sem_post(&first);
  sem_post(&second);
  return 0;
}

int main(void) {
  pthread_t one, two;
  sem_init(&first, 0, 1);
  sem_init(&second, 0, 1);
  pthread_create(&one, 0, forward, 0);
  pthread_create(&two, 0, backward, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
