// A FIFO with a name: each end's open waits for the other, and lines go through it in pieces; read by fgets, scanf and getchar.
// heddle: expect=none runs<=60
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static char path[64];

static void* writer(void* unused) {
  const int fd = open(path, O_WRONLY);
  CHECK(fd >= 0);
  // Half a line, the rest later: whoever reads lines must wait at a point, not inside of the C library.
  CHECK(write(fd, "he", 2) == 2);
  sched_yield();
  CHECK(write(fd, "llo\n4", 5) == 5);
  sched_yield();
  CHECK(write(fd, "2 7 x", 5) == 5);
  close(fd);
  return unused;
}

int main(void) {
  snprintf(path, sizeof path, "/tmp/heddle-fifo-%d", (int)getpid());
  unlink(path);
  CHECK(mkfifo(path, 0600) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  FILE* stream = fopen(path, "r");
  CHECK(stream != NULL);
  char line[20];
  CHECK(fgets(line, sizeof line, stream) != NULL && strcmp(line, "hello\n") == 0);
  int first = 0, second = 0;
  CHECK(fscanf(stream, "%d %d", &first, &second) == 2 && first == 42 && second == 7);
  CHECK(getc(stream) == ' ' && getc(stream) == 'x' && getc(stream) == EOF);
  fclose(stream);
  pthread_join(thread, NULL);
  unlink(path);
  return 0;
}
