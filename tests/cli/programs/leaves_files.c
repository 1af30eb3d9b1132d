// Fails if an earlier run left its file behind, in the working directory, in /tmp or in shared memory; leaves them behind itself. With an
// argument it changes that file, and fails unless it reads "before".
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void* leave(void* path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
  if (fd < 0) ++failures;
  if (fd >= 0 && write(fd, "left\n", 5) == 5) close(fd);
  return NULL;
}

static void* change(void* path) {
  FILE* stream = fopen(path, "r+");
  char line[20] = "";
  if (stream == NULL || fgets(line, sizeof line, stream) == NULL || strcmp(line, "before\n") != 0) ++failures;
  if (stream != NULL) {
    rewind(stream);
    fputs("after!\n", stream);
    fclose(stream);
  }
  return NULL;
}

int main(int argc, char** argv) {
  char* const paths[] = {"heddle-left-here", "/tmp/heddle-left-here", "/dev/shm/heddle-left-here"};
  pthread_t threads[4];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, leave, paths[i]);
  if (argc > 1) pthread_create(&threads[3], NULL, change, argv[1]);
  for (int i = 0; i < (argc > 1 ? 4 : 3); ++i) pthread_join(threads[i], NULL);
  return failures;
}
