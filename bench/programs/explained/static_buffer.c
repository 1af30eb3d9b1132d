// A function formats into a static buffer and returns it: two threads read each other's text.
// heddle-bug: kind=assert granularity=access class=race,atomicity set=tuned
// fix: lock|own|hold
#include <assert.h>
#include <pthread.h>

static char text[8];

__attribute__((noinline)) static const char* hex(unsigned n) {
  text[0] = "0123456789abcdef"[n >> 4 & 15];  // BUG
  text[1] = "0123456789abcdef"[n & 15];       // BUG
  text[2] = 0;
  return text;
}

static void* show(void* p) {
  const unsigned n = (unsigned)(long)p;
  const char* s = hex(n);  // FIX
  const char first = s[0];
  assert(first == "0123456789abcdef"[n >> 4 & 15]);  // BUG
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, show, (void*)0x1f);
  pthread_create(&b, 0, show, (void*)0x2e);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
