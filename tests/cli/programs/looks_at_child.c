// Whether the child has ended by the time of the look is up to the system.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void* worker(void* unused) {
  const pid_t child = fork();
  if (child == 0) {
    usleep(1000000);
    _exit(0);
  }
  int status;
  if (waitpid(child, &status, WNOHANG) == child) _exit(3);
  waitpid(child, &status, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
