// verify: still-fails
// The text is made aside and copied under the lock.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[32];
static int calls;

static const char* label(int n) {
  pthread_mutex_lock(&lock);
  char made[32];
  snprintf(made, sizeof made, "item-%d", n);
  memcpy(text, made, sizeof text);
  pthread_mutex_unlock(&lock);
  return text;
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
