// Writes into the file FILE what it finds of the descriptors 0 to 2, the numbers that it gets for files, its limits, and which signals are ignored.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static int second;

static void* open_another(void* arg) {
  second = open("/dev/null", O_RDONLY);
  return arg;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int there[3];
  for (int i = 0; i < 3; ++i) there[i] = fcntl(i, F_GETFD) >= 0;
  const int file = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pthread_t thread;
  pthread_create(&thread, NULL, open_another, NULL);
  pthread_join(thread, NULL);
  struct rlimit files, sizes;
  getrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_FSIZE, &sizes);
  dprintf(file, "there %d%d%d, opened %d %d, limits %ld %ld, ignored", there[0], there[1], there[2], file, second, (long)files.rlim_cur,
          (long)sizes.rlim_cur);
  for (int i = 1; i < 32; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN) dprintf(file, " %d", i);
  }
  dprintf(file, "\n");
  return 0;
}
