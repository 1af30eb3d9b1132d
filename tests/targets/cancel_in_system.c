// A command that the program waits for does not hold up the other threads, and is killed with the thread that is cancelled in it.
// heddle: expect=none runs<=5
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void* in_system(void* unused) {
  (void)unused;
  system("exec sleep 1000");
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, in_system, NULL);
  usleep(100);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  if (result != PTHREAD_CANCELED) return 1;
  if (wait(NULL) != -1) return 2;  // nobody is left
  const int status = system("exit 3");
  return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? 0 : 3;
}
