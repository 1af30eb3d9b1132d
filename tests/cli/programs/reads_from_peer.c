// Reads from a server what it sends over one connection and then over another, with time-outs that never come, while another thread locks and sleeps. Ends with 3.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int over;
static long sum;

static void* sleeps(void* unused) {
  for (int end = 0; !end; usleep(300)) {
    pthread_mutex_lock(&m);
    end = over;
    ++sum;
    pthread_mutex_unlock(&m);
  }
  return unused;
}

static void add(int bytes) {
  pthread_mutex_lock(&m);
  sum += bytes;
  pthread_mutex_unlock(&m);
}

int main(int count, char** words) {
  int connections[2];
  if (count < 2) return 9;
  for (int i = 0; i < 2; ++i) {
    const int fd = connections[i] = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval limit = {600, 0};
    struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(words[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(fd, (struct sockaddr*)&name, sizeof name) != 0) return 9;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, sleeps, NULL);
  for (int i = 0; i < 2; ++i) {
    char byte;
    while (read(connections[i], &byte, 1) == 1) add(byte);
  }
  pthread_mutex_lock(&m);
  over = 1;
  pthread_mutex_unlock(&m);
  pthread_join(thread, NULL);
  printf("%ld\n", sum);
  return 3;
}
