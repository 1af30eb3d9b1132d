// A driver's request path looks at the stopping flag, then registers itself as pending; the stop
// path may see no pending request in between and shut the device down under the request.
// Stands for: the Windows Bluetooth driver model (Qadeer & Wu, KISS 2004; CHESS; SCTBench CS.bluetooth).
// Ours differs: the pending count is locked, so the gap is open at synchronisation calls already.
// heddle-kernel: family=bluetooth kind=assert granularity=sync optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pending = 1;  // the device's own reference; at zero it may be stopped
static atomic_bool stopping;
static bool stopped;

static bool io_increment(void) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
  bool refused = atomic_load(&stopping);
#else
  bool refused = atomic_load(&stopping);
  pthread_mutex_lock(&lock);  // BUG
#endif
  if (!refused) pending++;
  pthread_mutex_unlock(&lock);
  return !refused;
}

static void io_decrement(void) {
  pthread_mutex_lock(&lock);
  if (--pending == 0) stopped = true;
  pthread_mutex_unlock(&lock);
}

static void* request(void* arg) {
  (void)arg;
  if (io_increment()) {
    pthread_mutex_lock(&lock);
    assert(!stopped);
    pthread_mutex_unlock(&lock);
    io_decrement();
  }
  return NULL;
}

static void* stop(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
  atomic_store(&stopping, true);
  pthread_mutex_unlock(&lock);
#else
  atomic_store(&stopping, true);
#endif
  io_decrement();
  return NULL;
}

int main(void) {
  pthread_t r, s;
  pthread_create(&r, NULL, request, NULL);
  pthread_create(&s, NULL, stop, NULL);
  pthread_join(r, NULL);
  pthread_join(s, NULL);
  return 0;
}
