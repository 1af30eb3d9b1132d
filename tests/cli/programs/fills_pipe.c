// One thread writes messages into a pipe that is full most of the time, another reads them in smaller pieces: which write can go on depends on how
// the bytes lie in the pipe's buffers.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
static long written, had;

static void add(long* to, long bytes) {
  pthread_mutex_lock(&m);
  *to += bytes;
  pthread_mutex_unlock(&m);
}

static void* writes(void* rounds) {
  char message[700] = {0};
  for (long i = 0; i < (long)rounds; ++i) add(&written, write(ends[1], message, 1 + (size_t)(i * 37 % 700)));
  close(ends[1]);
  return NULL;
}

int main(int count, char** words) {
  pthread_t thread;
  char piece[90];
  ssize_t n;
  if (count < 2 || pipe(ends) != 0) return 9;
  pthread_create(&thread, NULL, writes, (void*)atol(words[1]));
  while ((n = read(ends[0], piece, sizeof piece)) > 0) add(&had, n);
  pthread_join(thread, NULL);
  printf("%ld of %ld\n", had, written);
  return 3;
}
