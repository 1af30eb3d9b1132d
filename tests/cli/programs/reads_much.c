// reads_much PORT: a thread reads from there to the end, while another counts; says a sum of the bytes and ends with 1.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum, taken;
static int port;
static char block[1 << 20];

static void* read_all(void* unused) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in peer;
  memset(&peer, 0, sizeof peer);
  peer.sin_family = AF_INET;
  peer.sin_port = htons((unsigned short)port);
  peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (const struct sockaddr*)&peer, sizeof peer) != 0) exit(9);
  for (;;) {
    const long n = recv(fd, block, sizeof block, MSG_WAITALL);
    if (n <= 0) break;
    pthread_mutex_lock(&lock);
    taken += (unsigned long)n;
    for (long i = 0; i < n; i += 997) sum = sum * 31 + (unsigned char)block[i];
    pthread_mutex_unlock(&lock);
  }
  close(fd);
  return unused;
}

static void* look(void* unused) {
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&lock);
    sum += taken;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  port = atoi(argv[1]);
  pthread_t a, b;
  pthread_create(&a, NULL, read_all, NULL);
  pthread_create(&b, NULL, look, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("%lu bytes, sum %lu\n", taken, sum);
  return 1;
}
