// Starts a process from a stack that is just large enough for it (set by whoever runs it): correct alone.
#include <pthread.h>
#include <stdio.h>

static void* nothing(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  FILE* answer = popen("echo done", "r");
  char text[32];
  if (answer == NULL || fgets(text, sizeof text, answer) == NULL) return 1;
  return pclose(answer);
}
