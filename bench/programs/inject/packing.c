// Blocks of data packed by run lengths: one thread deals them out, others pack, as pigz does.
#include <pthread.h>

#include "machines.h"

enum { kThreads = 4, kBlocks = 12, kBlock = 1500 };
static unsigned char data[kBlocks][kBlock], packed[kBlocks][2 * kBlock];
static int length[kBlocks], next_block, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int pack(int block, int me) {
  int n = 0;
  for (int i = 0; i < kBlock;) {
    int run = 1;
    while (i + run < kBlock && run < 255 && data[block][i + run] == data[block][i]) ++run;
    packed[block][n++] = (unsigned char)run;
    packed[block][n++] = data[block][i];
    i += run;
    if (i == kBlock / 2) point(0, me);
  }
  return n;
}

static void* worker(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < 3; ++i) point(1, me);
  for (;;) {
    pthread_mutex_lock(&mutex);
    const int block = next_block < kBlocks ? next_block++ : -1;
    if (block >= 0) point(2, me);
    pthread_mutex_unlock(&mutex);
    if (block < 0) break;
    point(3, me);
    const int n = pack(block, me);
    point(4, me);
    length[block] = n;
    pthread_mutex_lock(&mutex);
    ++done;
    pthread_cond_signal(&changed);
    point(5, me);
    pthread_mutex_unlock(&mutex);
    point(6, me);
  }
  for (int i = 0; i < 3; ++i) point(7, me);
  return NULL;
}

int main(int argc, char** argv) {
  arm(argc > 1 ? atoi(argv[1]) : 0, kThreads);
  unsigned seed = 7;
  for (int i = 0; i < kBlocks; ++i) {
    for (int k = 0; k < kBlock; ++k) data[i][k] = (unsigned char)(next_number(&seed) % 8 == 0);
  }
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, worker, (void*)i);
  pthread_mutex_lock(&mutex);
  while (done < kBlocks) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  int all = 0;
  for (int i = 0; i < kBlocks; ++i) {
    for (int k = 0; k < length[i]; k += 2) all += packed[i][k];
  }
  return all == kBlocks * kBlock ? 0 : 1;
}
