// Text and length are published one after the other; a reader takes the new length with the old text.
// heddle-bug: kind=assert granularity=access class=atomicity set=held
// fix: together|one lock|hold
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char kShort[] = "ab", kLong[] = "abcdef";
static _Atomic(const char*) text = kShort;
static atomic_size_t length = 2;

static void* writer(void* unused) {
  atomic_store(&length, 6);
  atomic_store(&text, kLong);  // BUG
  return unused;
}

static void* reader(void* unused) {
  size_t n = atomic_load(&length);
  const char* s = atomic_load(&text);  // FIX
  assert(strlen(s) == n);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
