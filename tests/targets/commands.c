// Two threads start commands at the same time: each closes its own.
// heddle: expect=none runs<=20
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>

static void* run(void* argument) {
  const int wanted = (int)(long)argument;
  char command[32];
  snprintf(command, sizeof command, "exit %d", wanted);
  FILE* stream = popen(command, "r");
  if (stream == NULL) return (void*)1;
  if (fgetc(stream) != EOF) return (void*)3;
  const int status = pclose(stream);
  return (void*)(long)(WIFEXITED(status) && WEXITSTATUS(status) == wanted ? 0 : 2);
}

int main(void) {
  pthread_t threads[2];
  long failed = 0;
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, run, (void*)(i + 3));
  for (int i = 0; i < 2; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    failed |= (long)result;
  }
  return (int)failed;
}
