// Datagrams between two threads, and a receive with a time-out that nobody answers: it ends on the virtual clock.
// heddle: expect=none runs<=40
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct sockaddr_in address;
static int bound;

static void* answers(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) {
    char byte;
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    if (recvfrom(bound, &byte, 1, 0, (struct sockaddr*)&peer, &length) != 1) abort();
    ++byte;
    if (sendto(bound, &byte, 1, 0, (struct sockaddr*)&peer, length) != 1) abort();
  }
  return NULL;
}

int main(void) {
  bound = socket(AF_INET, SOCK_DGRAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(bound, (struct sockaddr*)&address, sizeof address) != 0) return 2;
  socklen_t length = sizeof address;
  getsockname(bound, (struct sockaddr*)&address, &length);
  pthread_t thread;
  pthread_create(&thread, NULL, answers, NULL);
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  char byte = 0;
  for (int i = 0; i < 3; ++i) {
    if (sendto(fd, &byte, 1, 0, (struct sockaddr*)&address, length) != 1 || recv(fd, &byte, 1, 0) != 1) abort();
  }
  pthread_join(thread, NULL);
  const struct timeval hour = {3600, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof hour);
  if (recv(fd, &byte, 1, 0) != -1 || (errno != EAGAIN && errno != EWOULDBLOCK)) return 3;
  return byte == 3 ? 0 : 1;
}
