// Two threads close the same handle; each looks at the open flag before it takes the lock that
// guards the close, so the buffer is freed twice.
// Stands for: double-free kernels of ConVul and the close/close race of CVE-2017-6346-like reports.
// Ours differs: the C library's own check aborts the program.
// heddle-kernel: family=double_free kind=abort granularity=sync optimum=1 class=uaf
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_open = 1;
static char* buffer;

static void* close_handle(void* arg) {
  (void)arg;
#ifdef FIXED
  pthread_mutex_lock(&lock);
  int mine = atomic_exchange(&is_open, 0);
#else
  int mine = atomic_load(&is_open);  // BUG
  pthread_mutex_lock(&lock);
  if (mine) atomic_store(&is_open, 0);
#endif
  if (mine) free(buffer);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  buffer = malloc(4096);  // too big for the per-thread caches, so that the C library sees the second free
  pthread_create(&a, NULL, close_handle, NULL);
  pthread_create(&b, NULL, close_handle, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
