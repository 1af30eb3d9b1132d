// No thread anywhere: a child, which might still become the one under control, gives back what its parent locked for the fork, and waits for what only its
// parent can write, at a socket of which it has both ends.
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void before(void) { pthread_mutex_lock(&lock); }
static void after(void) { pthread_mutex_unlock(&lock); }

int main(void) {
  int ends[2];
  char c = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || pthread_atfork(before, after, after) != 0) abort();
  const pid_t child = fork();
  if (child == 0) return read(ends[1], &c, 1) == 1 && c == 'x' ? 7 : 1;
  usleep(300000);
  int status = 0;
  if (write(ends[0], "x", 1) != 1 || waitpid(child, &status, 0) != child) abort();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
