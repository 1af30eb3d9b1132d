// Two readers ask for the write lock without giving the read lock back.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=held
// fix: (give|release|before|first|upgrade).*
#include <pthread.h>

#include <thread>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int entries;

static void insert_if_absent() {
  pthread_rwlock_rdlock(&table);
  if (entries == 0) {
    pthread_rwlock_wrlock(&table);  // BUG
    ++entries;
    pthread_rwlock_unlock(&table);
  }
  pthread_rwlock_unlock(&table);
}

int main() {
  std::thread a(insert_if_absent), b(insert_if_absent);
  a.join();
  b.join();
}
