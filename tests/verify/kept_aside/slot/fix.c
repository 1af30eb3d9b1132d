// verify: fixed
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t filled, empty;
static int slot, sum;

static void* produce(void* arg) {
  (void)arg;
  for (int i = 1; i <= 2; ++i) {
    sem_wait(&empty);
    slot = i;
    sem_post(&filled);
  }
  return NULL;
}

static void* consume(void* arg) {
  (void)arg;
  for (int i = 1; i <= 2; ++i) {
    sem_wait(&filled);
    sum += slot;
    sem_post(&empty);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  sem_init(&filled, 0, 0);
  sem_init(&empty, 0, 1);
  pthread_create(&a, NULL, produce, NULL);
  pthread_create(&b, NULL, consume, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(sum == 3);
  return 0;
}
