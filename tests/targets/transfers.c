// Bytes that go from a file over a socket and a pipe to the other thread without passing through the program: sendfile and splice.
// heddle: expect=none runs<=40
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kBytes = 200000 };
static int sockets[2], ends[2];

#define CHECK(condition)       \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

static void* sends(void* file) {
  off_t offset = 0;
  while (offset < kBytes) CHECK(sendfile(sockets[0], fileno(file), &offset, (size_t)(kBytes - offset)) > 0);
  shutdown(sockets[0], SHUT_WR);
  return NULL;
}

static void* moves(void* unused) {
  (void)unused;
  for (;;) {
    const ssize_t n = splice(sockets[1], NULL, ends[1], NULL, 65536, 0);
    CHECK(n >= 0);
    if (n == 0) break;
  }
  close(ends[1]);
  return NULL;
}

int main(void) {
  FILE* file = tmpfile();
  for (int i = 0; i < kBytes; ++i) putc(i * 11 & 0xFF, file);
  fflush(file);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && pipe(ends) == 0);
  pthread_t a, b;
  pthread_create(&a, NULL, sends, file);
  pthread_create(&b, NULL, moves, NULL);
  int total = 0;
  unsigned char block[3000];
  for (;;) {
    const ssize_t n = read(ends[0], block, sizeof block);
    CHECK(n >= 0);
    if (n == 0) break;
    for (ssize_t i = 0; i < n; ++i) CHECK(block[i] == ((total + i) * 11 & 0xFF));
    total += (int)n;
  }
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return total == kBytes ? 0 : 1;
}
