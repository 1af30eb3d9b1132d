// Two threads read the same connections with a time-out, and a timer interrupts both while everybody waits. Prints what came; ends with 5.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int listener;
static volatile int ticks;
static void tick(int number) {
  (void)number;
  ++ticks;
}

// Who comes second finds nothing: its poll goes on.
static void* serve(void* name) {
  for (;;) {
    struct pollfd ready = {listener, POLLIN, 0};
    if (poll(&ready, 1, 2000) == 0) return NULL;
    const int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    const struct timeval limit = {0, 300000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char byte;
    ssize_t n;
    while ((n = read(fd, &byte, 1)) == 1) printf("%s %c\n", (const char*)name, byte);
    printf("%s %s\n", (const char*)name, n == 0 ? "end" : errno == EAGAIN ? "late" : "interrupted");
    close(fd);
  }
}

int main(void) {
  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof name;
  bind(listener, (struct sockaddr*)&name, sizeof name);
  listen(listener, 8);
  getsockname(listener, (struct sockaddr*)&name, &length);
  printf("port %d\n", ntohs(name.sin_port));
  fflush(stdout);
  struct sigaction action = {.sa_handler = tick};
  sigaction(SIGALRM, &action, NULL);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, serve, "a");
  pthread_create(&threads[1], NULL, serve, "b");
  const struct itimerval every = {{0, 50000}, {0, 50000}};
  setitimer(ITIMER_REAL, &every, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  printf("%d\n", ticks > 3);
  return 5;
}
