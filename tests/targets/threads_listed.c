// /proc shows the threads of the run by their numbers, and those that have ended no more. A child without an environment has the number that its
// parent knows, and still no environment.
// heddle: expect=none runs<=10
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int in_list(int* count) {
  int own = 0;
  DIR* list = opendir("/proc/self/task");
  if (list == NULL) exit(9);
  for (struct dirent* entry; (entry = readdir(list)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    ++*count;
    own += atoi(entry->d_name) == gettid();
  }
  closedir(list);
  return own;
}

static void* look(void* unused) {
  (void)unused;
  int count = 0;
  if (in_list(&count) != 1 || count != 2) exit(2);
  return NULL;
}

static int says_number(void) {
  int ends[2];
  char text[256] = "";
  char wanted[256];
  pid_t child;
  posix_spawn_file_actions_t actions;
  char* words[] = {"sh", "-c", "echo $$:$HEDDLE_NUMBERS$LD_PRELOAD", NULL};
  if (pipe(ends) != 0) return 0;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  if (posix_spawn(&child, "/bin/sh", &actions, NULL, words, NULL) != 0) return 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  for (size_t at = 0; at < sizeof text - 1;) {
    const ssize_t n = read(ends[0], text + at, sizeof text - 1 - at);
    if (n <= 0) break;
    at += (size_t)n;
  }
  close(ends[0]);
  waitpid(child, NULL, 0);
  snprintf(wanted, sizeof wanted, "%d:\n", child);
  return strcmp(text, wanted) == 0;
}

int main(void) {
  pthread_t thread;
  int count = 0;
  pthread_create(&thread, NULL, look, NULL);
  while (count = 0, in_list(&count), count != 1) usleep(10);
  pthread_join(thread, NULL);
  return says_number() ? 0 : 3;
}
