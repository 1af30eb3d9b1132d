// The worker asks whether it may go on, and then uses what may be gone by then.
// heddle-bug: kind=signal,misuse granularity=access class=order,race,uaf,atomicity set=tuned
#include <pthread.h>
#include <stdlib.h>

static volatile int running = 1;
static int* volatile buffer;

static void* work(void* arg) {
  (void)arg;
  for (int i = 0; i < 3; i++) {
    if (!running) break;  // BUG
    buffer[0] = i;        // BUG
  }
  return NULL;
}

int main(void) {
  pthread_t a;
  buffer = calloc(4, sizeof *buffer);
  pthread_create(&a, NULL, work, NULL);
  running = 0;
  free(buffer);   // BUG
  buffer = NULL;  // BUG
  pthread_join(a, NULL);
  return 0;
}
