// A daemon: the child ends, and what it has left writes into the pipe for which the program waits. The program itself has the writing end
// open, too; nobody but that process can end the wait.
// heddle: expect=none runs<=10
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void* idle(void* unused) { return unused; }

int main(void) {
  int ends[2];
  char byte = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, idle, NULL) != 0 || pipe(ends) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    if (fork() != 0) _exit(0);
    usleep(20000);
    byte = 'd';
    _exit(write(ends[1], &byte, 1) != 1);
  }
  if (waitpid(child, NULL, 0) != child) return 2;
  if (read(ends[0], &byte, 1) != 1 || byte != 'd') return 3;
  return pthread_join(thread, NULL);
}
