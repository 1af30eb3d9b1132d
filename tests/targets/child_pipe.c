// Commands behind pipes: popen both ways, with their exit codes, while another thread runs.
// heddle: expect=none runs<=20
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void* other(void* unused) {
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&lock);
    ++shared;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  FILE* from = popen("printf 'one\\ntwo\\n'; exit 3", "r");
  CHECK(from != NULL);
  char line[20];
  pthread_mutex_lock(&lock);
  CHECK(fgets(line, sizeof line, from) != NULL && strcmp(line, "one\n") == 0);
  pthread_mutex_unlock(&lock);
  CHECK(fgets(line, sizeof line, from) != NULL && strcmp(line, "two\n") == 0);
  CHECK(fgets(line, sizeof line, from) == NULL);
  int status = pclose(from);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  FILE* to = popen("read x && test \"$x\" = hello", "w");
  CHECK(to != NULL && fputs("hello\n", to) >= 0);
  CHECK(pclose(to) == 0);
  pthread_join(thread, NULL);
  CHECK(shared == 5);
  return 0;
}
