// heddle: expect=none runs<=1000
// Producers and consumers over a ring guarded by two semaphores and a mutex.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { kSlots = 2, kItems = 4 };
static sem_t free_slots, used_slots;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[kSlots], head, tail, sum;

static void* produce(void* unused) {
  (void)unused;
  for (int i = 1; i <= kItems; i++) {
    sem_wait(&free_slots);
    pthread_mutex_lock(&lock);
    ring[head] = i;
    head = (head + 1) % kSlots;
    pthread_mutex_unlock(&lock);
    sem_post(&used_slots);
  }
  return 0;
}

static void* consume(void* unused) {
  (void)unused;
  for (int i = 1; i <= kItems; i++) {
    sem_wait(&used_slots);
    pthread_mutex_lock(&lock);
    sum += ring[tail];
    tail = (tail + 1) % kSlots;
    pthread_mutex_unlock(&lock);
    sem_post(&free_slots);
  }
  return 0;
}

int main(void) {
  pthread_t threads[4];
  sem_init(&free_slots, 0, kSlots);
  sem_init(&used_slots, 0, 0);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i % 2 ? consume : produce, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  assert(sum == 2 * (kItems * (kItems + 1) / 2));
  return 0;
}
