// What a stream writes is a cancellation point, at once or when its buffer is full; what only fills the buffer is none. A thread that waits for
// another between prints lets it come.
// heddle: expect=none runs<=30
#include <pthread.h>
#include <stdio.h>

static volatile int told;

static void* unbuffered(void* unused) {
  FILE* null = fopen("/dev/null", "w");
  (void)unused;
  setvbuf(null, NULL, _IONBF, 0);
  pthread_cancel(pthread_self());
  fprintf(null, "x");
  return NULL;
}
static void* buffered(void* count) {
  static char buffer[256];
  FILE* null = fopen("/dev/null", "w");
  setvbuf(null, buffer, _IOFBF, sizeof buffer);
  pthread_cancel(pthread_self());
  for (; *(int*)count < 1000; ++*(int*)count) fputs("four", null);
  return NULL;
}
static void* tells(void* unused) {
  (void)unused;
  told = 1;
  return NULL;
}

static int is_cancelled(void* (*function)(void*), void* argument) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, function, argument);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED;
}

int main(void) {
  int count = 0;
  pthread_t thread;
  FILE* null = fopen("/dev/null", "w");
  if (!is_cancelled(unbuffered, NULL)) return 1;
  if (!is_cancelled(buffered, &count)) return 2;
  if (count < 16 || count > 160) return 3;
  pthread_create(&thread, NULL, tells, NULL);
  while (!told) fputs("x", null);
  pthread_join(thread, NULL);
  return 0;
}
