// Children wait for file locks of their parent.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>
static void* nothing(void* p) { return p; }
static int child_takes(const char* name, int whole, unsigned microseconds) {
  const int held = open(name, O_RDWR | O_CREAT, 0600);
  if (whole ? flock(held, LOCK_EX) : lockf(held, F_LOCK, 0)) return 0;
  const pid_t child = fork();
  if (child == 0) {
    const int wanted = open(name, O_RDWR);
    _exit((whole ? flock(wanted, LOCK_EX) : lockf(wanted, F_LOCK, 0)) ? 2 : 0);
  }
  usleep(microseconds);
  if (whole ? flock(held, LOCK_UN) : lockf(held, F_ULOCK, 0)) return 0;
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}
int main(void) {
  for (unsigned i = 0; i < 8; ++i) {
    if (!child_takes("lock", i % 2, i * 3000)) return 1;
  }
  pthread_t t;
  pthread_create(&t, NULL, nothing, NULL);
  pthread_join(t, NULL);
  return 6;
}
