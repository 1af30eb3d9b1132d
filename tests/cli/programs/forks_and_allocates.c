// A child after fork that allocates and exits with 0, beside a thread that allocates, too.
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void* worker(void* unused) {
  free(malloc(1000));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  const pid_t child = fork();
  if (child == 0) {
    free(malloc(500));
    exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return 1;
  pthread_join(thread, NULL);
  return 0;
}
