// N threads insert messages into a hash table by linear probing; a slot is tested and taken in two
// steps, so two threads whose messages collide can take the same slot.
// Stands for: "indexer" (Flanagan & Godefroid 2005); no two threads collide there below twelve threads.
// Ours differs: the table is small enough for the collision to need only a few threads.
// heddle-kernel: family=indexer kind=assert granularity=access optimum=1 variants=N:3,N:8 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

enum { kSize = 2 * N + 1 };

static atomic_int table[kSize];

static int take(int slot, int message) {
#ifdef FIXED
  int empty = 0;
  return atomic_compare_exchange_strong(&table[slot], &empty, message);
#else
  if (atomic_load(&table[slot]) != 0) return 0;
  atomic_store(&table[slot], message);  // BUG
  return 1;
#endif
}

static void* insert(void* arg) {
  int message = *(int*)arg;
  int slot = message * 7 % kSize;
  while (!take(slot, message)) slot = (slot + 1) % kSize;
  return NULL;
}

int main(void) {
  pthread_t t[N];
  int message[N];
  for (int i = 0; i < N; i++) {
    message[i] = i + 1;
    if (i == N - 1) message[i] = 1 + kSize;  // hashes like the first one
    pthread_create(&t[i], NULL, insert, &message[i]);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
  int found = 0;
  for (int i = 0; i < kSize; i++) found += atomic_load(&table[i]) != 0;
  assert(found == N);
  return 0;
}
