// A load for servers that speak memcached's protocol: connections with one request under way each, one set for nine gets, every answer checked.
// Prints requests a second.
//   kv_load PORT CONNECTIONS SECONDS
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kConnections = 256, kKeys = 100, kRoom = 512 };

struct Connection {
  int fd;
  unsigned sent;  // requests
  int filled;
  char answer[kRoom];
  char expected[kRoom];
};
static struct Connection g_connections[kConnections];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char* why, const struct Connection* c) {
  fprintf(stderr, "kv_load: %s: got '%.*s', expected '%s'\n", why, c->filled, c->answer, c->expected);
  exit(1);
}

// Each connection has keys of its own, so that what it reads is what it wrote.
static void send_next(struct Connection* c) {
  char request[kRoom];
  const int id = (int)(c - g_connections);
  const unsigned key = c->sent / 10 % kKeys;
  int length;
  if (c->sent % 10 == 0) {
    char value[64];
    const int size = sprintf(value, "value-%d-%u-%u", id, key, c->sent);
    length = sprintf(request, "set key-%d-%u 0 0 %d\r\n%s\r\n", id, key, size, value);
    sprintf(c->expected, "STORED\r\n");
  } else {
    char value[64];
    const int size = sprintf(value, "value-%d-%u-%u", id, key, c->sent - c->sent % 10);
    length = sprintf(request, "get key-%d-%u\r\n", id, key);
    sprintf(c->expected, "VALUE key-%d-%u 0 %d\r\n%s\r\nEND\r\n", id, key, size, value);
  }
  c->filled = 0;
  ++c->sent;
  if (write(c->fd, request, (size_t)length) != length) fail("cannot send", c);
}

static int take(struct Connection* c) {
  const ssize_t n = read(c->fd, c->answer + c->filled, sizeof c->answer - (size_t)c->filled);
  if (n <= 0) fail("the connection has ended", c);
  c->filled += (int)n;
  const int wanted = (int)strlen(c->expected);
  if (memcmp(c->answer, c->expected, (size_t)(c->filled < wanted ? c->filled : wanted)) != 0 || c->filled > wanted)
    fail("a wrong answer", c);
  return c->filled == wanted;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int count = atoi(argv[2]) < kConnections ? atoi(argv[2]) : kConnections;
  const double length = atof(argv[3]);
  const int set = epoll_create1(0);
  const int one = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int i = 0; i < count; ++i) {
    struct Connection* c = &g_connections[i];
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(c->fd, (struct sockaddr*)&address, sizeof address) != 0) {
      perror("kv_load");
      return 1;
    }
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(set, EPOLL_CTL_ADD, c->fd, &event);
    send_next(c);
  }
  const double start = now();
  double end = start;
  unsigned long done = 0;
  while ((end = now()) - start < length) {
    struct epoll_event events[kConnections];
    const int n = epoll_wait(set, events, kConnections, 1000);
    for (int i = 0; i < n; ++i) {
      struct Connection* c = events[i].data.ptr;
      if (!take(c)) continue;
      ++done;
      send_next(c);
    }
  }
  printf("%.1f requests/s\n", (double)done / (end - start));
  return done == 0;
}
