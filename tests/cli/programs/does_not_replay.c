// does_not_replay FILE [buggy]: the third run that is made aborts, whatever its schedule: it counts in a file that no run has for itself.
// Besides, it has a real bug.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void* writer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  first = 1;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  second = 1;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static int counted(const char* path) {
  const int file = open(path, O_RDWR | O_APPEND);
  const int runs = (int)lseek(file, 0, SEEK_END) + 1;
  if (write(file, "x", 1) != 1) exit(2);
  close(file);
  return runs;
}

int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  if (counted(argv[1]) == 3) abort();
  pthread_mutex_lock(&mutex);
  const int torn = first && !second;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return torn && argc > 2 && strcmp(argv[2], "buggy") == 0 ? 7 : 0;
}
