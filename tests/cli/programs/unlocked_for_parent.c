// A child gives back the lock that its parent took before fork, which glibc's own tests do; the parent takes it again.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  pthread_mutex_t* mutex = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t shared;
  pthread_mutexattr_init(&shared);
  pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(mutex, &shared);
  pthread_mutex_lock(mutex);
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_unlock(mutex);
    _exit(0);
  }
  pthread_mutex_lock(mutex);
  int status = 1;
  waitpid(child, &status, 0);
  return status;
}
