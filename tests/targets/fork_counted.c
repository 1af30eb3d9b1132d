// The parent's own handler of fork takes locks: the child is there already, although the call that made it has not returned. Two threads
// fork, so that one may be in its handler while the other makes its child.
// heddle: expect=none runs<=700
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

static void count(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    ++calls;
    pthread_mutex_unlock(&lock);
  }
}

static void* maker(void* unused) {
  const pid_t parent = getpid();
  int ends[2];
  if (pipe(ends) != 0) abort();
  const pid_t child = fork();
  if (child == 0) {
    const pid_t own = getpid();
    if (write(ends[1], &own, sizeof own) != (ssize_t)sizeof own) _exit(2);
    _exit(getppid() == parent ? 0 : 1);
  }
  pid_t said;
  int status;
  if (read(ends[0], &said, sizeof said) != (ssize_t)sizeof said || said != child) abort();
  if (waitpid(child, &status, 0) != child || status != 0) abort();
  close(ends[0]);
  close(ends[1]);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_atfork(count, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, maker, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return calls == 12 ? 0 : 1;
}
