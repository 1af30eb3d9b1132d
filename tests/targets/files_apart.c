// Every run appends to files in the working directory, /tmp and /dev/shm, before and after its first thread, and fails if an earlier
// run left anything there. What it wrote itself it must see.
// heddle: expect=none runs<=100
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE* early;

static void append(const char* path) {
  struct stat status;
  assert(stat(path, &status) != 0);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  assert(fd >= 0);
  assert(write(fd, "x", 1) == 1);
  close(fd);
  assert(stat(path, &status) == 0 && status.st_size == 1);
}

static void* work(void* path) {
  pthread_mutex_lock(&lock);
  append(path);
  fprintf(early, "%s\n", (const char*)path);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  early = fopen("heddle-early.txt", "ax+");
  assert(early != NULL);
  fprintf(early, "begin\n");
  fflush(early);
  pthread_t a, b, c;
  pthread_create(&a, NULL, work, "heddle-appended.txt");
  pthread_create(&b, NULL, work, "/tmp/heddle-appended.txt");
  pthread_create(&c, NULL, work, "/dev/shm/heddle-appended");
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  rewind(early);
  char line[100];
  int lines = 0;
  while (fgets(line, sizeof line, early) != NULL) ++lines;
  assert(lines == 4);
  rename("heddle-appended.txt", "heddle-renamed.txt");
  unlink("/tmp/heddle-appended.txt");
  unlink("/dev/shm/heddle-appended");
  assert(unlink("heddle-renamed.txt") == 0);
  assert(unlink("heddle-early.txt") == 0);
  return 0;
}
