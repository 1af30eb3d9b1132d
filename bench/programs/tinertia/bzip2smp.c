// A block compressor on several processors: main reads blocks, four workers compress them (run-length
// and move-to-front), a writer puts them out in order. Main frees the block table when the writer has
// put out the last block; a worker that has just seen the table may then still look there for work.
// Stands for: row "bzip2" of Tinertia Tables 1-3 (segmentation fault, 6 threads; bzip2smp of the Inspect suite).
// Ours differs: written anew; seven blocks in memory; the output is expanded and compared.
// heddle-kernel: family=bzip2smp kind=signal granularity=sync optimum=1 class=uaf paper=tinertia row=bzip2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { kWorkers = 4, kBlocks = 7, kBlockSize = 64, kNone = -1 };

struct block {
  unsigned char in[kBlockSize];
  unsigned char out[2 * kBlockSize];
  int out_size;  // 0 until compressed
};

struct table {
  int next;  // the first block that nobody has taken
  struct block blocks[kBlocks];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t compressed = PTHREAD_COND_INITIALIZER;
static _Atomic(struct table*) table;
static unsigned char written[kBlocks * 2 * kBlockSize];
static int written_size[kBlocks];

static int compress(struct block* b) {
  unsigned char order[256];
  for (int i = 0; i < 256; i++) order[i] = (unsigned char)i;
  int size = 0;
  for (int i = 0; i < kBlockSize;) {
    int run = 1;
    while (i + run < kBlockSize && b->in[i + run] == b->in[i]) run++;
    int rank = 0;
    while (order[rank] != b->in[i]) rank++;
    memmove(order + 1, order, (size_t)rank);
    order[0] = b->in[i];
    b->out[size++] = (unsigned char)rank;
    b->out[size++] = (unsigned char)run;
    i += run;
  }
  return size;
}

static void expand(const unsigned char* from, int size, unsigned char to[kBlockSize]) {
  unsigned char order[256];
  for (int i = 0; i < 256; i++) order[i] = (unsigned char)i;
  int at = 0;
  for (int i = 0; i < size; i += 2) {
    unsigned char c = order[from[i]];
    memmove(order + 1, order, from[i]);
    order[0] = c;
    for (int k = 0; k < from[i + 1]; k++) to[at++] = c;
  }
  assert(at == kBlockSize);
}

static void* worker(void* arg) {
  (void)arg;
  while (atomic_load(&table) != NULL) {
    pthread_mutex_lock(&lock);
    struct table* t = atomic_load(&table);
    int mine = t->next < kBlocks ? t->next++ : kNone;  // BUG
    pthread_mutex_unlock(&lock);
    if (mine == kNone) return NULL;
    struct block* b = &t->blocks[mine];
    int size = compress(b);
    pthread_mutex_lock(&lock);
    b->out_size = size;
    pthread_cond_signal(&compressed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void* writer(void* arg) {
  (void)arg;
  for (int i = 0; i < kBlocks; i++) {
    pthread_mutex_lock(&lock);
    struct block* b = &atomic_load(&table)->blocks[i];
    while (b->out_size == 0) pthread_cond_wait(&compressed, &lock);
    memcpy(&written[i * 2 * kBlockSize], b->out, (size_t)b->out_size);
    written_size[i] = b->out_size;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  unsigned char original[kBlocks][kBlockSize];
  pthread_t w[kWorkers], out;
  struct table* t = calloc(1, sizeof *t);
  for (int i = 0; i < kBlocks; i++) {
    for (int k = 0; k < kBlockSize; k++) original[i][k] = (unsigned char)('a' + (k * (i + 1) / 7) % 5);
    memcpy(t->blocks[i].in, original[i], kBlockSize);
  }
  atomic_store(&table, t);
  for (int i = 0; i < kWorkers; i++) pthread_create(&w[i], NULL, worker, NULL);
  pthread_create(&out, NULL, writer, NULL);
  pthread_join(out, NULL);
#ifdef FIXED
  for (int i = 0; i < kWorkers; i++) pthread_join(w[i], NULL);
#endif
  atomic_store(&table, NULL);
  free(t);
#ifndef FIXED
  for (int i = 0; i < kWorkers; i++) pthread_join(w[i], NULL);
#endif
  for (int i = 0; i < kBlocks; i++) {
    unsigned char expanded[kBlockSize];
    expand(&written[i * 2 * kBlockSize], written_size[i], expanded);
    assert(memcmp(expanded, original[i], kBlockSize) == 0);
  }
  return 0;
}
