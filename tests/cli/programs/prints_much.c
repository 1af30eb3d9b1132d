// Prints as many megabytes as its argument says.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 20];

static void* print(void* argument) {
  for (long i = atol(argument); i > 0; --i) {
    if (write(1, block, sizeof block) != sizeof block) abort();
  }
  return NULL;
}

int main(int count, char** arguments) {
  pthread_t thread;
  if (count < 2) return 2;
  memset(block, 'x', sizeof block);
  pthread_create(&thread, NULL, print, arguments[1]);
  pthread_join(thread, NULL);
  return 0;
}
