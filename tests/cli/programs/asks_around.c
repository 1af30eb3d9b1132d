// Says what it finds around it: its environment, where things lie in memory, and who is at the other end of a connection. Then it fails.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

extern char** environ;

static void* places(void* unused) {
  char here = 0;
  printf("stack %p\n", (void*)&here);
  return unused;
}

int main(void) {
  int variables = 0;
  while (environ[variables] != NULL) ++variables;
  void* memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("variables %d, mapping %p, block %p\n", variables, memory, malloc(1 << 20));
  pthread_t thread;
  pthread_create(&thread, NULL, places, NULL);
  pthread_join(thread, NULL);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, peer = {0};
  socklen_t size = sizeof own;
  if (bind(listener, (struct sockaddr*)&own, size) != 0 || listen(listener, 5) != 0) return 9;
  if (getsockname(listener, (struct sockaddr*)&own, &size) != 0) return 9;
  printf("port %d\n", ntohs(own.sin_port));
  fflush(stdout);
  const int connection = accept(listener, NULL, NULL);
  const int one = 1;
  int error = -1, waiting = -1;
  char byte = 0;
  printf("at once %d", setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one));
  printf(", peer %d", getpeername(connection, (struct sockaddr*)&peer, &size));
  size = sizeof error;
  printf(" %d, error %d", ntohs(peer.sin_port), getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &size));
  if (recv(connection, &byte, 1, MSG_PEEK) != 1) return 9;
  printf(" %d, waiting %d", error, ioctl(connection, FIONREAD, &waiting));
  printf(" %d, end %d\n", waiting, shutdown(connection, SHUT_WR));
  return 3;
}
