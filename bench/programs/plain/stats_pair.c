// Two figures that belong together, added to without a lock: a reader sees one of them moved on.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
#include <assert.h>
#include <pthread.h>

static long sent, bytes;

static void* sender(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    sent += 1;     // BUG
    bytes += 100;  // BUG
  }
  return NULL;
}

static void* reporter(void* arg) {
  (void)arg;
  long n = sent;   // BUG
  long b = bytes;  // BUG
  assert(b == n * 100);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, reporter, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
