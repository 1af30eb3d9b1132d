// The child is made before the first thread, and waits for its parent at a barrier and a semaphore that both share.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct Shared {
  pthread_barrier_t barrier;
  sem_t permit;
};
static struct Shared* shared;

static void* poster(void* unused) {
  usleep(20000);
  sem_post(&shared->permit);
  return unused;
}

int main(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, 2);
  sem_init(&shared->permit, 1, 0);
  const pid_t child = fork();
  if (child == 0) {
    sem_wait(&shared->permit);
    pthread_barrier_wait(&shared->barrier);
    _exit(0);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, poster, NULL);
  pthread_join(thread, NULL);
  pthread_barrier_wait(&shared->barrier);
  int status;
  if (waitpid(child, &status, 0) != child || status != 0) abort();
  return 0;
}
