// A bounded buffer shared by five producers and five consumers, with one condition for each side.
// get() tells the producers that there is room and removes the element in a second critical section; a
// producer woken in between finds the buffer full and waits again, and its wake-up is spent.
// Stands for: row "bbuf" of Tinertia Tables 1-3 (deadlock, 11 threads; Inspect suite).
// Ours differs: written anew; every element carries its producer and is checked on arrival.
// heddle-kernel: family=bbuf kind=deadlock granularity=sync class=lost-wakeup paper=tinertia row=bbuf
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kProducers = 5, kConsumers = 5, kPerThread = 4, kSlots = 2 };

struct buffer {
  pthread_mutex_t lock;
  pthread_cond_t room, filled;
  int slots[kSlots];
  int in, out, count;
};

static struct buffer buffer = {.lock = PTHREAD_MUTEX_INITIALIZER, .room = PTHREAD_COND_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};
static int next_value[kProducers];
static int received[kProducers];
static pthread_mutex_t received_lock = PTHREAD_MUTEX_INITIALIZER;

static void put(struct buffer* b, int value) {
  pthread_mutex_lock(&b->lock);
  while (b->count == kSlots) pthread_cond_wait(&b->room, &b->lock);
  b->slots[b->in] = value;
  b->in = (b->in + 1) % kSlots;
  b->count++;
  pthread_cond_signal(&b->filled);
  pthread_mutex_unlock(&b->lock);
}

static int get(struct buffer* b) {
  pthread_mutex_lock(&b->lock);
  while (b->count == 0) pthread_cond_wait(&b->filled, &b->lock);
#ifndef FIXED
  pthread_cond_signal(&b->room);  // BUG
  pthread_mutex_unlock(&b->lock);
  pthread_mutex_lock(&b->lock);
  while (b->count == 0) pthread_cond_wait(&b->filled, &b->lock);
#endif
  int value = b->slots[b->out];
  b->out = (b->out + 1) % kSlots;
  b->count--;
#ifdef FIXED
  pthread_cond_signal(&b->room);
#endif
  pthread_mutex_unlock(&b->lock);
  return value;
}

static void* produce(void* arg) {
  int me = *(int*)arg;
  for (int i = 0; i < kPerThread; i++) put(&buffer, me * 100 + next_value[me]++);
  return NULL;
}

static void* consume(void* arg) {
  (void)arg;
  for (int i = 0; i < kPerThread; i++) {
    int value = get(&buffer);
    assert(value / 100 < kProducers && value % 100 < kPerThread);
    pthread_mutex_lock(&received_lock);
    received[value / 100]++;
    pthread_mutex_unlock(&received_lock);
  }
  return NULL;
}

int main(void) {
  pthread_t t[kProducers + kConsumers];
  int id[kProducers];
  for (int i = 0; i < kProducers; i++) {
    id[i] = i;
    pthread_create(&t[i], NULL, produce, &id[i]);
  }
  for (int i = 0; i < kConsumers; i++) pthread_create(&t[kProducers + i], NULL, consume, NULL);
  for (int i = 0; i < kProducers + kConsumers; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < kProducers; i++) assert(received[i] == kPerThread);
  return 0;
}
