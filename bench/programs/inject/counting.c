// Words counted in a shared table with a lock for each of its parts.
#include <pthread.h>

#include "machines.h"

enum { kThreads = 16, kWords = 400, kCells = 64, kLocks = 8 };
static struct {
  unsigned key;
  int count;
} cells[kCells];
static pthread_mutex_t locks[kLocks];
static int total;

static void count(unsigned word, int me) {
  for (unsigned i = word % kCells;; i = (i + 1) % kCells) {
    pthread_mutex_t* lock = &locks[i % kLocks];
    pthread_mutex_lock(lock);
    const int mine = cells[i].count == 0 || cells[i].key == word;
    if (mine) {
      cells[i].key = word;
      ++cells[i].count;
    }
    pthread_mutex_unlock(lock);
    if (mine) return;
    point(7, me);
  }
}

static void* reader(void* argument) {
  const int me = (int)(long)argument;
  unsigned seed = (unsigned)me + 1;
  point(0, me);
  for (int i = 0; i < kWords / kThreads; ++i) {
    unsigned hash = 5381;
    for (int k = 0; k < 40; ++k) hash = hash * 33 + (next_number(&seed) & 1);
    point(1, me);
    count(hash % 40, me);
    point(2, me);
    if (i % 4 == 0) point(3, me);
    if (i % 8 == 7) point(4, me);
  }
  point(5, me);
  pthread_mutex_lock(&locks[0]);
  total += kWords / kThreads;
  pthread_mutex_unlock(&locks[0]);
  for (int i = 0; i < 3; ++i) point(6, me);
  return NULL;
}

int main(int argc, char** argv) {
  arm(argc > 1 ? atoi(argv[1]) : 0, kThreads);
  for (int i = 0; i < kLocks; ++i) pthread_mutex_init(&locks[i], NULL);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, reader, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return total == kWords ? 0 : 1;
}
