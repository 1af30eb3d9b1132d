// Two threads over a pipe that is smaller than what is sent: a write that does not fit waits for the reader.
// heddle: expect=none runs<=60
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBytes = 300000 };
static int ends[2];

static void* writer(void* unused) {
  (void)unused;
  char* data = malloc(kBytes);
  for (int i = 0; i < kBytes; ++i) data[i] = (char)(i * 7);
  if (write(ends[1], data, kBytes) != kBytes) abort();
  free(data);
  close(ends[1]);
  return NULL;
}

int main(void) {
  if (pipe(ends) != 0) return 2;
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  char block[5000];
  int total = 0;
  for (;;) {
    const ssize_t n = read(ends[0], block, sizeof block);
    if (n <= 0) break;
    for (ssize_t i = 0; i < n; ++i) {
      if (block[i] != (char)((total + i) * 7)) return 3;
    }
    total += (int)n;
  }
  pthread_join(thread, NULL);
  return total == kBytes ? 0 : 1;
}
