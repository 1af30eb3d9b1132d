// A thread reads a pipe to its end. The child that wrote has ended, but the process keeps the writing end open itself: the end never comes.
// heddle: expect=deadlock preemptions=0 runs<=5
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void* reader(void* unused) {
  char bytes[8];
  while (read(ends[0], bytes, sizeof bytes) > 0) continue;
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) abort();
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  const pid_t child = fork();
  if (child == 0) _exit(write(ends[1], "hello", 5) == 5 ? 0 : 1);
  int status;
  if (waitpid(child, &status, 0) != child || status != 0) abort();
  pthread_join(thread, NULL);
  return 0;
}
