// N threads create a file each: find a free inode, then a free block by probing; the block's busy bit
// is tested under its lock and set under the lock taken anew.
// Stands for: "fsbench" / "filesystem" (Flanagan & Godefroid 2005; SV-COMP pthread; SCTBench CS.fsbench).
// Ours differs: fewer blocks than in the original, so that threads meet already when they are few.
// heddle-kernel: family=filesystem kind=assert granularity=sync optimum=1 variants=N:3,N:12 class=atomicity
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

enum { kBlocks = N + 1, kInodes = N };

static pthread_mutex_t block_lock[kBlocks], inode_lock[kInodes];
static int busy[kBlocks], owners[kBlocks], inode[kInodes];

static void* create_file(void* arg) {
  int me = *(int*)arg;
  int i = me % kInodes;
  pthread_mutex_lock(&inode_lock[i]);
  for (int b = me / 2 * 2 % kBlocks; inode[i] == 0; b = (b + 1) % kBlocks) {
    pthread_mutex_lock(&block_lock[b]);
    int is_free = !busy[b];
#ifndef FIXED
    pthread_mutex_unlock(&block_lock[b]);
    pthread_mutex_lock(&block_lock[b]);  // BUG
#endif
    if (is_free) {
      busy[b] = 1;
      owners[b]++;
      assert(owners[b] == 1);
      inode[i] = b + 1;
    }
    pthread_mutex_unlock(&block_lock[b]);
  }
  pthread_mutex_unlock(&inode_lock[i]);
  return NULL;
}

int main(void) {
  pthread_t t[N];
  int id[N];
  for (int i = 0; i < kBlocks; i++) pthread_mutex_init(&block_lock[i], NULL);
  for (int i = 0; i < kInodes; i++) pthread_mutex_init(&inode_lock[i], NULL);
  for (int i = 0; i < N; i++) {
    id[i] = i;
    pthread_create(&t[i], NULL, create_file, &id[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  return 0;
}
