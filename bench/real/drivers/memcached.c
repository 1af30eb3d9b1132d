// Clients inside the server's own process, so that one schedule holds both: linked with --wrap=main, they stand around the server's main.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int __real_main(int argc, char** argv);

static const char* const kSocket = "memcached.sock";
static int wrong;

static int dial(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, kSocket);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  while (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) usleep(1000);
  return fd;
}

// Sends a command and waits for a whole line of answer.
static const char* ask(int fd, const char* command, char* answer, size_t room) {
  if (write(fd, command, strlen(command)) < 0) return "";
  size_t got = 0;
  while (got + 1 < room && (got < 2 || memcmp(answer + got - 2, "\r\n", 2) != 0)) {
    const ssize_t n = read(fd, answer + got, room - 1 - got);
    if (n <= 0) break;
    got += (size_t)n;
  }
  answer[got] = 0;
  return answer;
}

static void* client(void* unused) {
  (void)unused;
  char answer[128];
  const int fd = dial();
  for (int i = 0; i < 2; ++i) ask(fd, "incr n 1\r\n", answer, sizeof answer);
  close(fd);
  return NULL;
}

static void* control(void* unused) {
  (void)unused;
  char answer[128];
  const int fd = dial();
  ask(fd, "set n 0 0 1\r\n0\r\n", answer, sizeof answer);
  pthread_t clients[2];
  for (int i = 0; i < 2; ++i) pthread_create(&clients[i], NULL, client, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(clients[i], NULL);
  // The answer to incr is the number alone.
  const int n = atoi(ask(fd, "incr n 0\r\n", answer, sizeof answer));
  if (n != 4) {
    fprintf(stderr, "four increments are not all there\n");
    wrong = 1;
  }
  ask(fd, "shutdown\r\n", answer, sizeof answer);
  close(fd);
  return NULL;
}

int __wrap_main(int argc, char** argv) {
  (void)argc;
  char* arguments[] = {argv[0], "-s",   (char*)kSocket,
                       "-u",    "root", "-t",
                       "2",     "-m",   "8",
                       "-A",    "-o",   "no_lru_crawler,no_lru_maintainer,no_slab_reassign,no_hashexpand",
                       NULL};
  unlink(kSocket);
  pthread_t controller;
  pthread_create(&controller, NULL, control, NULL);
  const int code = __real_main((int)(sizeof arguments / sizeof *arguments) - 1, arguments);
  pthread_join(controller, NULL);
  unlink(kSocket);
  return wrong ? 1 : code;
}
