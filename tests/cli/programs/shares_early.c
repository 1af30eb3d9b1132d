// shares_early file|memory|queue|semaphore|child: something that is not in the program's own memory is set up before the first thread, and each run
// finds it as it was then.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void* counts(void* unused) {
  pthread_mutex_lock(&lock);
  ++turns;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void work(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, counts, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  CHECK(turns == 2);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "file") == 0) {
    FILE* file = tmpfile();
    CHECK(file != 0);
    work();
    CHECK(fputs("once", file) >= 0 && fflush(file) == 0);
    CHECK(fseek(file, 0, SEEK_END) == 0 && ftell(file) == 4 && fputs("again", file) >= 0);
  } else if (strcmp(what, "memory") == 0) {
    int* shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    work();
    CHECK(++*shared == 1);
  } else if (strcmp(what, "queue") == 0) {
    const int queue = msgget(IPC_PRIVATE, 0600);
    work();
    CHECK(msgctl(queue, IPC_RMID, 0) == 0);
  } else if (strcmp(what, "semaphore") == 0) {
    const int set = semget(IPC_PRIVATE, 1, 0600);
    work();
    struct sembuf more = {0, 1, 0};
    CHECK(semop(set, &more, 1) == 0 && semctl(set, 0, GETVAL) == 1 && semctl(set, 0, IPC_RMID) == 0);
  } else {
    const pid_t child = fork();
    if (child == 0) _exit(7);
    work();
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  }
  return 0;
}
