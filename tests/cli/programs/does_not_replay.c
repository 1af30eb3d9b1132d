// The third run that is made aborts, whatever its schedule: what it counts in is common to all runs. Besides, it has a real bug.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

int main(int argc, char** argv) {
  int* runs = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  if (++*runs == 3) abort();
  pthread_mutex_lock(&mutex);
  const int torn = first && !second;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return torn && argc > 1 && strcmp(argv[1], "buggy") == 0 ? 7 : 0;
}
