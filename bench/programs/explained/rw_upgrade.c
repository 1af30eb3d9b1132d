// Two readers that each want to become the writer without letting go.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: release|unlock|write
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int stale = 1, rebuilt;

static void rebuild(void) {
  pthread_rwlock_wrlock(&table);
  stale = 0;
  ++rebuilt;
  pthread_rwlock_unlock(&table);
}

static void lookup(void) {
  pthread_rwlock_rdlock(&table);  // FIX
  if (stale) {
    pthread_rwlock_t* own = &table;
    if (rebuilt == 0) {
      pthread_rwlock_unlock(own);
      rebuild();
      pthread_rwlock_rdlock(own);
    }
  }
  pthread_rwlock_unlock(&table);
}

static void flush(void) {
  pthread_rwlock_rdlock(&table);  // FIX
  if (!stale) {
    rebuild();  // BUG
  }
  pthread_rwlock_unlock(&table);
}

static void* reader(void* unused) {
  lookup();
  return unused;
}
static void* flusher(void* unused) {
  flush();
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&b, NULL, flusher, NULL);
  pthread_create(&a, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
