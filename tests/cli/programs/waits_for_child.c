// Waits for children of its own beside threads that go on.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void* work(void* slow) {
  for (int i = 0; i < 5; ++i) {
    if (slow != NULL) usleep(20000);
    pthread_mutex_lock(&lock);
    ++total;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}
static void* start(void* slow) {
  const pid_t child = fork();
  if (child == 0) {
    if (slow == NULL) usleep(100000);
    _exit(9);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 9) _exit(1);
  char said[10];
  FILE* shell = popen("echo hi", "r");
  if (fgets(said, sizeof said, shell) == NULL || pclose(shell) != 0) _exit(2);
  return NULL;
}
int main(int count, char** words) {
  void* slow = count > 1 && strcmp(words[1], "child") == 0 ? words : NULL;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, i % 2 ? start : work, slow);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return total == 10 ? 6 : 3;
}
