// A tracing library used by two threads, switched off and on while they log. A message takes the
// library's lock only if tracing is on, and gives it back only if tracing is still on: switched off in
// between, the lock is never given back.
// Stands for: row "ctrace" of Tinertia Tables 1-3 (deadlock, 2 threads; Inspect suite); fails only when memory
// accesses are scheduling points.
// Ours differs: written anew; messages go to memory and are counted.
// heddle-kernel: family=ctrace kind=deadlock granularity=access class=race paper=tinertia row=ctrace
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { kMessages = 17, kLines = 2 * kMessages, kWidth = 24 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool tracing = true;
static char lines[kLines][kWidth];
static int used;
static atomic_int logged, skipped;
static atomic_uint level = 2, modules = 3, sequence;

static bool wanted(unsigned message_level, unsigned module) {
  return atomic_load(&tracing) && message_level <= atomic_load(&level) && (atomic_load(&modules) & module);
}

static void trace(const char* who, unsigned module) {
  unsigned number = atomic_fetch_add(&sequence, 1);
  if (!wanted(1, module)) {
    atomic_fetch_add(&skipped, 1);
    return;
  }
  pthread_mutex_lock(&lock);
  if (!atomic_load(&tracing)) {
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&skipped, 1);
    return;
  }
  snprintf(lines[used++], kWidth, "%s: step %u", who, number);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#else
  if (atomic_load(&tracing)) pthread_mutex_unlock(&lock);  // BUG
#endif
  atomic_fetch_add(&logged, 1);
}

static void* worker(void* arg) {
  (void)arg;
  for (int i = 0; i < kMessages; i++) trace("worker", 1);
  return NULL;
}

int main(void) {
  pthread_t w;
  pthread_create(&w, NULL, worker, NULL);
  for (int i = 0; i < kMessages; i++) {
    trace("main", 2);
    if (i == kMessages - 3) {  // one rotation of the log near the end
      atomic_store(&tracing, false);
      atomic_store(&tracing, true);
    }
  }
  pthread_join(w, NULL);
  assert(logged + skipped == kLines && used == logged);
  return 0;
}
