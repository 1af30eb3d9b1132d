// What the programs of this directory talk to: a server of files whose bytes are their offsets modulo 251. It runs as it is, outside of what is recorded.
//   GET offset bytes | PAGE bytes (and the end of the connection) | NAME | NEXT
// usage: origin PORT
#include <pthread.h>
#include <signal.h>

#include "net.h"

static void send_bytes(int fd, long offset, long bytes) {
  char piece[65536];
  while (bytes > 0) {
    const long n = bytes < (long)sizeof piece ? bytes : (long)sizeof piece;
    for (long i = 0; i < n; i++) piece[i] = (char)((offset + i) % 251);
    const ssize_t sent = write(fd, piece, (size_t)n);
    if (sent <= 0) return;
    offset += sent;
    bytes -= sent;
  }
}

static void* serve(void* argument) {
  const int fd = (int)(long)argument;
  char line[256], status[512];
  long offset, bytes;
  memset(status, 'x', sizeof status);
  memcpy(status, "302 ", 4);
  status[400] = '\n';
  while (read_line(fd, line, sizeof line) >= 0) {
    if (sscanf(line, "GET %ld %ld", &offset, &bytes) == 2) send_bytes(fd, offset, bytes);
    if (strcmp(line, "NAME") == 0 && write(fd, status + 300, 101) < 0) break;
    if (strcmp(line, "NEXT") == 0 && write(fd, status, 401) < 0) break;
    if (sscanf(line, "PAGE %ld", &bytes) == 1) {
      send_bytes(fd, 0, bytes);
      break;
    }
  }
  close(fd);
  return NULL;
}

int main(int count, char** words) {
  if (count < 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  const int listener = listen_at(atoi(words[1]));
  for (;;) {
    const int client = accept(listener, NULL, NULL);
    pthread_t thread;
    if (client < 0) continue;
    pthread_create(&thread, NULL, serve, (void*)(long)client);
    pthread_detach(thread);
  }
}
