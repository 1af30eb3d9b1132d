// A server and its clients in one program, over ports that the kernel chose.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
static struct sockaddr_in stream, datagrams;
static void bind_somewhere(int s, struct sockaddr_in* name) {
  socklen_t size = sizeof *name;
  name->sin_family = AF_INET;
  name->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(s, (struct sockaddr*)name, size) == 0 && getsockname(s, (struct sockaddr*)name, &size) == 0);
}
static void* ask(void* unused) {
  (void)unused;
  const int s = socket(AF_INET, SOCK_STREAM, 0), d = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in own;
  socklen_t size = sizeof own;
  char byte = 'a';
  assert(connect(s, (struct sockaddr*)&stream, sizeof stream) == 0 && getsockname(s, (struct sockaddr*)&own, &size) == 0);
  assert(write(s, &byte, 1) == 1 && read(s, &byte, 1) == 1 && byte == 'b');
  assert(sendto(d, &byte, 1, 0, (struct sockaddr*)&datagrams, sizeof datagrams) == 1 && recv(d, &byte, 1, 0) == 1 && byte == 'c');
  close(s);
  close(d);
  return (void*)(long)ntohs(own.sin_port);
}
int main(void) {
  const int l = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), d = socket(AF_INET, SOCK_DGRAM, 0);
  bind_somewhere(l, &stream);
  bind_somewhere(d, &datagrams);
  assert(listen(l, 5) == 0);
  printf("at %d and %d\n", ntohs(stream.sin_port), ntohs(datagrams.sin_port));
  const int set = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.fd = l}};
  epoll_ctl(set, EPOLL_CTL_ADD, l, &event);
  event.data.fd = d;
  epoll_ctl(set, EPOLL_CTL_ADD, d, &event);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, ask, NULL);
  for (int answers = 0; answers < 4;) {
    if (epoll_wait(set, &event, 1, -1) != 1) continue;
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    char byte;
    if (event.data.fd == l) {
      struct epoll_event more = {EPOLLIN, {.fd = accept(l, (struct sockaddr*)&from, &size)}};
      epoll_ctl(set, EPOLL_CTL_ADD, more.data.fd, &more);
      printf("from %d\n", ntohs(from.sin_port));
    } else if (event.data.fd == d) {
      assert(recvfrom(d, &byte, 1, 0, (struct sockaddr*)&from, &size) == 1);
      ++byte;
      assert(sendto(d, &byte, 1, 0, (struct sockaddr*)&from, size) == 1);
      ++answers;
    } else if (read(event.data.fd, &byte, 1) == 1) {
      ++byte;
      assert(write(event.data.fd, &byte, 1) == 1);
      ++answers;
    } else {
      close(event.data.fd);
    }
  }
  for (int i = 0; i < 2; ++i) {
    void* port;
    pthread_join(threads[i], &port);
    printf("was %ld\n", (long)port);
  }
  return 6;
}
