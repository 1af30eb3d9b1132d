// A server on the loopback interface with epoll, a client, and a Unix socketpair between two threads: nothing of it is outside the program.
// heddle: expect=none runs<=40
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener, pair[2];
static struct sockaddr_in address;

static void* server(void* unused) {
  (void)unused;
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  int served = 0;
  while (served < 2) {
    struct epoll_event ready[4];
    const int n = epoll_wait(epoll, ready, 4, -1);
    for (int i = 0; i < n; ++i) {
      if (ready[i].data.fd == listener) {
        const int fd = accept(listener, NULL, NULL);
        if (fd < 0) abort();
        event.data.fd = fd;
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        continue;
      }
      char text[8];
      const ssize_t got = recv(ready[i].data.fd, text, sizeof text, 0);
      if (got <= 0) {
        close(ready[i].data.fd);
        ++served;
      } else if (send(ready[i].data.fd, text, (size_t)got, MSG_NOSIGNAL) != got) {
        abort();
      }
    }
  }
  close(epoll);
  return NULL;
}

static void* client(void* result) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) abort();
  char text[5] = {0};
  if (send(fd, "ping", 4, 0) != 4 || recv(fd, text, 4, MSG_WAITALL) != 4) abort();
  close(fd);
  *(int*)result = strcmp(text, "ping") == 0;
  return NULL;
}

static void* echo(void* unused) {
  (void)unused;
  char byte;
  while (read(pair[1], &byte, 1) == 1) {
    if (write(pair[1], &byte, 1) != 1) abort();
  }
  close(pair[1]);
  return NULL;
}

int main(void) {
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 5) != 0) return 2;
  socklen_t length = sizeof address;
  getsockname(listener, (struct sockaddr*)&address, &length);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 2;
  int ok[2] = {0, 0};
  pthread_t threads[4];
  pthread_create(&threads[0], NULL, server, NULL);
  pthread_create(&threads[1], NULL, client, &ok[0]);
  pthread_create(&threads[2], NULL, client, &ok[1]);
  pthread_create(&threads[3], NULL, echo, NULL);
  for (int i = 0; i < 3; ++i) {
    char byte = (char)i;
    if (write(pair[0], &byte, 1) != 1) abort();
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pair[0], &set);
    struct timeval limit = {3600, 0};
    if (select(pair[0] + 1, &set, NULL, NULL, &limit) != 1 || read(pair[0], &byte, 1) != 1 || byte != i) abort();
  }
  shutdown(pair[0], SHUT_WR);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return ok[0] && ok[1] ? 0 : 1;
}
