// The reducer waits for one mapper fewer than there are.
// heddle-bug: kind=assert granularity=sync class=order set=tuned
// fix: wait|before|first|join
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define MAPPERS 3

struct chunk {
  const int* numbers;
  int length;
  long sum;
  int finished;
  pthread_mutex_t lock;
};

static struct chunk chunks[MAPPERS];
static sem_t finished;
static const int data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void chunk_run(struct chunk* c) {
  long sum = 0;
  for (int i = 0; i < c->length; i++) sum += c->numbers[i];
  pthread_mutex_lock(&c->lock);
  c->sum = sum;
  c->finished = 1;
  pthread_mutex_unlock(&c->lock);
}

static void* mapper(void* arg) {
  chunk_run(arg);
  sem_post(&finished);
  return NULL;
}

static void wait_for_mappers(void) {
  for (int i = 1; i < MAPPERS; i++) sem_wait(&finished);  // BUG
}

static long reduce(void) {
  long total = 0;
  for (int i = 0; i < MAPPERS; i++) {
    pthread_mutex_lock(&chunks[i].lock);  // FIX
    assert(chunks[i].finished);           // FIX
    total += chunks[i].sum;
    pthread_mutex_unlock(&chunks[i].lock);
  }
  return total;
}

int main(void) {
  pthread_t threads[MAPPERS];
  sem_init(&finished, 0, 0);
  for (int i = 0; i < MAPPERS; i++) {
    chunks[i] = (struct chunk){.numbers = data + 3 * i, .length = 3, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_create(&threads[i], NULL, mapper, &chunks[i]);
  }
  wait_for_mappers();
  long total = reduce();
  for (int i = 0; i < MAPPERS; i++) pthread_join(threads[i], NULL);
  return total == 45 ? 0 : 1;
}
