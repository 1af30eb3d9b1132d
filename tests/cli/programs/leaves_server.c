// A server that gives up its rights, with a child in a session of its own that does, too. Neither ends by itself.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void drop_rights(void) {
  if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) exit(3);
}

static void* nothing(void* unused) { return unused; }

int main(int argc, char** argv) {
  if (fork() == 0) {
    setsid();
    drop_rights();
    for (;;) pause();
  }
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  drop_rights();
  puts("ready");
  fflush(stdout);
  if (argc > 1 && argv[1][0] == 'e') return 0;
  for (;;) pause();
}
