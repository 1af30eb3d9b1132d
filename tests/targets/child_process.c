// A child process that answers over a pipe, waited for by another thread; process numbers as the program sees them.
// heddle: expect=none runs<=30
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static void* reaper(void* unused) {
  (void)unused;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) abort();
  if (waitpid(child, &status, WNOHANG) != -1) abort();
  return NULL;
}

static void* idle(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) usleep(1000);
  return NULL;
}

int main(void) {
  const pid_t self = getpid();
  pthread_t other;
  pthread_create(&other, NULL, idle, NULL);
  int ends[2];
  if (pipe(ends) != 0) return 2;
  child = fork();
  if (child == 0) {
    close(ends[0]);
    usleep(2000);
    if (write(ends[1], "hello", 5) != 5) _exit(1);
    _exit(7);
  }
  if (child == self || child < 0 || getpid() != self || kill(child, 0) != 0) return 3;
  close(ends[1]);
  pthread_t thread;
  pthread_create(&thread, NULL, reaper, NULL);
  char text[16] = {0};
  size_t got = 0;
  for (;;) {
    const ssize_t n = read(ends[0], text + got, sizeof text - 1 - got);
    if (n <= 0) break;
    got += (size_t)n;
  }
  pthread_join(thread, NULL);
  pthread_join(other, NULL);
  if (system("exit 3") != 3 << 8) return 4;
  return strcmp(text, "hello") == 0 ? 0 : 1;
}
