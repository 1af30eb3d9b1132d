// The first user of the log opens it: both find it closed.
// heddle-bug: kind=assert granularity=access class=atomicity,race set=held
// fix: lock|one (atomic )?step|once
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char* log_buffer;
static int opened;

static char* get_log(void) {
  if (!log_buffer) {  // BUG
    char* fresh = malloc(64);
    __atomic_add_fetch(&opened, 1, __ATOMIC_SEQ_CST);
    log_buffer = fresh;
  }
  return log_buffer;
}

static void* use(void* p) {
  get_log()[0] = (char)(long)p;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, use, (void*)1);
  pthread_create(&b, 0, use, (void*)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(opened == 1);
  return 0;
}
