// A thread forks, and the child's only thread ends by pthread_exit or by returning: the process ends with it, and nobody else goes on there.
// heddle: expect=none runs<=5
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t parent;

static void at_end(void) { _exit(getpid() == parent ? 0 : 7); }

static void* forks(void* returns) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    if (*(int*)returns) return NULL;
    pthread_exit(NULL);
  }
  if (waitpid(child, &status, 0) != child) _exit(1);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) _exit(2);
  return NULL;
}

int main(void) {
  parent = getpid();
  atexit(at_end);
  for (int returns = 0; returns < 2; ++returns) {
    pthread_t thread;
    pthread_create(&thread, NULL, forks, &returns);
    pthread_join(thread, NULL);
    if (getpid() != parent) _exit(3);
  }
  return 0;
}
