// A server in the old manner: the parent forks a worker, the worker has threads, and one of them crashes. The parent only waits.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char* shared;
static char text[] = "words";

static void* writer(void* unused) {
  pthread_mutex_lock(&lock);
  shared = NULL;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  shared = text;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* reader(void* unused) {
  pthread_mutex_lock(&lock);
  if (strlen(shared) == 0) puts("empty");
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  const pid_t child = fork();
  if (child == 0) {
    shared = text;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    return 0;
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 7;
}
