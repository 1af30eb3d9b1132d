// What the programs of this directory share: sockets on loopback.
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in at_port(int port) {
  struct sockaddr_in a = {0};
  a.sin_family = AF_INET;
  a.sin_port = htons((unsigned short)port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

static __attribute__((unused)) int listen_at(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  int one = 1;
  struct sockaddr_in a = at_port(port);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(fd, (struct sockaddr*)&a, sizeof a) != 0 || listen(fd, 256) != 0) {
    perror("listen");
    exit(2);
  }
  return fd;
}

static __attribute__((unused)) int connect_to(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = at_port(port);
  if (connect(fd, (struct sockaddr*)&a, sizeof a) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static __attribute__((unused)) int read_line(int fd, char* line, int room) {
  int n = 0;
  for (;;) {
    char c;
    if (read(fd, &c, 1) != 1) return -1;
    if (c == '\n') break;
    if (n + 1 < room) line[n++] = c;
  }
  line[n] = 0;
  return n;
}
