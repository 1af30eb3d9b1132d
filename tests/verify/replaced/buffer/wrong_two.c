// verify: still-fails
// Two buffers in turn, and both get the first.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char texts[2][32];
static int next;
static int calls;

static const char* label(int n) {
  pthread_mutex_lock(&lock);
  char* text = texts[next];
  next = (next + 1) % 1;
  snprintf(text, 32, "item-%d", n);
  pthread_mutex_unlock(&lock);
  return texts[0];
}

static void use(int n) {
  char want[32];
  snprintf(want, sizeof want, "item-%d", n);
  const char* got = label(n);
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
