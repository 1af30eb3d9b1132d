// A barrier made of a counter and a semaphore: who is last posts for the others and sets the counter back, after a quick one may have come again.
// heddle-kernel: family=rendezvous kind=assert granularity=access class=atomicity
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int phase[2];
#ifndef FIXED
static atomic_int arrived;
#endif
static sem_t gate;
static pthread_barrier_t real;

static void meet(void) {
#ifdef FIXED
  pthread_barrier_wait(&real);
#else
  if (atomic_fetch_add(&arrived, 1) + 1 == 2) {
    sem_post(&gate);
    atomic_store(&arrived, 0);  // BUG
  } else {
    sem_wait(&gate);
  }
#endif
}

static void* worker(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 1; i <= 2; ++i) {
    atomic_store(&phase[me], i);
    meet();
    assert(atomic_load(&phase[1 - me]) >= i);
    if (i == 2) break;
  }
  return NULL;
}

int main(void) {
  sem_init(&gate, 0, 0);
  pthread_barrier_init(&real, NULL, 2);
  pthread_t a, b;
  pthread_create(&a, NULL, worker, (void*)0);
  pthread_create(&b, NULL, worker, (void*)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
