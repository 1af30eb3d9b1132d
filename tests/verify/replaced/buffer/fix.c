// verify: fixed
// The caller gives the buffer.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;
#define LABEL 32

static const char* label(int n, char* into, size_t size) {
  pthread_mutex_lock(&lock);
  snprintf(into, size, "item-%d", n);
  pthread_mutex_unlock(&lock);
  return into;
}

static void use(int n) {
  char want[LABEL], mine[LABEL];
  snprintf(want, sizeof want, "item-%d", n);
  const char* got = label(n, mine, sizeof mine);
  pthread_mutex_lock(&lock);
  ++calls;
  assert(strcmp(got, want) == 0);
  pthread_mutex_unlock(&lock);
}

static void* worker(void* arg) {
  use((int)(long)arg);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, worker, (void*)1L);
  pthread_create(&b, NULL, worker, (void*)2L);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return calls == 2 ? 0 : 1;
}
