// reads_input file PATH | command COMMAND | descriptor N | port NUMBER: reads a number from there on a thread, then two threads add to a
// counter that often in two critical sections. Exits with 1 if updates are lost, with 9 without input.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, wanted;
static char** words;

static FILE* source(void) {
  if (strcmp(words[1], "file") == 0) return fopen(words[2], "r");
  if (strcmp(words[1], "command") == 0) return popen(words[2], "r");
  if (strcmp(words[1], "descriptor") == 0) return fdopen(atoi(words[2]), "r");
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in peer;
  memset(&peer, 0, sizeof peer);
  peer.sin_family = AF_INET;
  peer.sin_port = htons((uint16_t)atoi(words[2]));
  peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (const struct sockaddr*)&peer, sizeof peer) != 0) return NULL;
  if (send(fd, "how many?\n", 10, MSG_NOSIGNAL) != 10) return NULL;
  return fdopen(fd, "r");
}

static void* read_it(void* unused) {
  FILE* stream = source();
  char line[64];
  if (stream == NULL || fgets(line, sizeof line, stream) == NULL) exit(9);
  wanted = atoi(line);
  return unused;
}

static void* add(void* unused) {
  for (int i = 0; i < wanted; ++i) {
    pthread_mutex_lock(&lock);
    const int seen = counter;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    counter = seen + 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  words = argv;
  pthread_t a, b;
  pthread_create(&a, NULL, read_it, NULL);
  pthread_join(a, NULL);
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("input %d\n", wanted);
  if (counter != 2 * wanted) fprintf(stderr, "error: lost updates\n");
  return counter != 2 * wanted;
}
