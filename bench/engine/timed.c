// timed FILE COMMAND...: runs the command and adds a line to the file: the processor seconds that it and whatever it waited for took. Exits as
// the command does. A launcher for tests/corpus.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

int main(int count, char** words) {
  if (count < 3) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[2], words + 2);
    _exit(127);
  }
  int status;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child) return 126;
  FILE* file = fopen(words[1], "a");
  if (file == 0) return 126;
  fprintf(file, "%.6f\n", seconds(used.ru_utime) + seconds(used.ru_stime));
  fclose(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
