// The main thread takes the queue's mutex away and sets its pointer to null when all blocks are
// written, while a consumer has yet to come round and lock it to learn that the work is over.
// Stands for: pbzip2 0.9.4 (Yu & Narayanasamy 2009; Tinertia Fig. 7; SCTBench CB.pbzip2).
// Ours differs: reduced to the queue, one producer (main), two consumers; the pointer is read once a round, so that
// it is missed in one place only; the full-size version is in tinertia/.
// heddle-kernel: family=pbzip2 kind=signal granularity=sync optimum=0 class=uaf
#include <pthread.h>
#include <stdatomic.h>

enum { kBlocks = 2, kConsumers = 2 };

struct queue {
  _Atomic(pthread_mutex_t*) mutex;
  int blocks;
};

static struct queue fifo;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // never destroyed: null is the only way to fail
static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done_cond = PTHREAD_COND_INITIALIZER;
static int done;

static void* consumer(void* arg) {
  struct queue* q = arg;
  for (;;) {
    pthread_mutex_t* m = atomic_load(&q->mutex);
    pthread_mutex_lock(m);  // BUG
    int block = q->blocks > 0 ? q->blocks-- : 0;
    pthread_mutex_unlock(m);
    if (block == 0) return NULL;
    pthread_mutex_lock(&done_lock);
    done++;
    pthread_cond_signal(&done_cond);
    pthread_mutex_unlock(&done_lock);
  }
}

int main(void) {
  pthread_t t[kConsumers];
  atomic_store(&fifo.mutex, &mutex);
  fifo.blocks = kBlocks;
  for (int i = 0; i < kConsumers; i++) pthread_create(&t[i], NULL, consumer, &fifo);
  pthread_mutex_lock(&done_lock);
  while (done < kBlocks) pthread_cond_wait(&done_cond, &done_lock);
  pthread_mutex_unlock(&done_lock);
#ifdef FIXED
  for (int i = 0; i < kConsumers; i++) pthread_join(t[i], NULL);
#endif
  atomic_store(&fifo.mutex, NULL);
#ifndef FIXED
  for (int i = 0; i < kConsumers; i++) pthread_join(t[i], NULL);
#endif
  return 0;
}
