// A cache server that speaks enough of memcached's protocol for kv_load.c: a thread that accepts, and workers with an epoll set each. It is what the
// smoke test measures, where no server of Debian is installed.
//   cache PORT WORKERS
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kSlots = 1 << 16, kLine = 512, kValue = 256, kWorkers = 16 };

struct Slot {
  char key[64];
  char value[kValue];
  int size;
};
static struct Slot g_slots[kSlots];
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static int g_sets[kWorkers];

static struct Slot* slot_of(const char* key) {
  unsigned hash = 5381;
  for (const char* c = key; *c != 0; ++c) hash = hash * 33 + (unsigned char)*c;
  unsigned at = hash % kSlots;
  while (g_slots[at].key[0] != 0 && strcmp(g_slots[at].key, key) != 0) at = (at + 1) % kSlots;
  return &g_slots[at];
}

// Answers one request that has arrived whole (a client sends the next one after the answer). Returns the answer's length.
static int answer(char* request, char* out) {
  char key[64];
  int size;
  if (sscanf(request, "set %63s %*d %*d %d", key, &size) == 2 && size >= 0 && size < kValue) {
    const char* data = strstr(request, "\r\n");
    pthread_mutex_lock(&g_lock);
    struct Slot* s = slot_of(key);
    snprintf(s->key, sizeof s->key, "%s", key);
    s->size = size;
    memcpy(s->value, data + 2, (size_t)size);
    pthread_mutex_unlock(&g_lock);
    return sprintf(out, "STORED\r\n");
  }
  if (sscanf(request, "get %63s", key) != 1) return sprintf(out, "ERROR\r\n");
  pthread_mutex_lock(&g_lock);
  const struct Slot* s = slot_of(key);
  int length = 0;
  if (strcmp(s->key, key) == 0) {
    length = sprintf(out, "VALUE %s 0 %d\r\n", key, s->size);
    memcpy(out + length, s->value, (size_t)s->size);
    length += s->size;
    length += sprintf(out + length, "\r\n");
  }
  pthread_mutex_unlock(&g_lock);
  return length + sprintf(out + length, "END\r\n");
}

static void* work(void* argument) {
  const int set = *(int*)argument;
  for (;;) {
    struct epoll_event events[64];
    const int n = epoll_wait(set, events, 64, -1);
    for (int i = 0; i < n; ++i) {
      const int fd = events[i].data.fd;
      char request[kLine + kValue];
      char out[kLine + kValue];
      const ssize_t got = read(fd, request, sizeof request - 1);
      if (got <= 0) {
        close(fd);
        continue;
      }
      request[got] = 0;
      const int length = answer(request, out);
      if (write(fd, out, (size_t)length) != length) close(fd);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int workers = atoi(argv[2]) < kWorkers ? atoi(argv[2]) : kWorkers;
  signal(SIGPIPE, SIG_IGN);
  const int one = 1;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr*)&address, sizeof address) != 0 || listen(listener, 128) != 0) {
    perror("cache");
    return 1;
  }
  for (int i = 0; i < workers; ++i) {
    pthread_t thread;
    g_sets[i] = epoll_create1(0);
    pthread_create(&thread, NULL, work, &g_sets[i]);
  }
  for (int next = 0;; ++next) {
    const int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(g_sets[next % workers], EPOLL_CTL_ADD, fd, &event);
  }
}
