// A small proxy: a thread for each client, which asks the origin server for the page and passes it on piece by piece. A client that hangs up in the middle
// of a page makes the next write raise SIGPIPE, of which the whole proxy dies.
// Stands for: "proxyc-1" of Execution Reduction Tables 1-6 (SIGPIPE bug).
// usage: proxyc PORT ORIGIN_PORT
#include <pthread.h>

#include "net.h"

static int origin_port;

static void* handle(void* argument) {
  const int client = (int)(long)argument;
  char line[256], piece[4096];
  while (read_line(client, line, sizeof line) >= 0) {
    const int origin = connect_to(origin_port);
    ssize_t n;
    if (origin < 0) break;
    strcat(line, "\n");
    if (write(origin, line, strlen(line)) < 0) break;
    while ((n = read(origin, piece, sizeof piece)) > 0) {
      ssize_t done = 0;
      while (done < n) {
        const ssize_t w = write(client, piece + done, (size_t)(n - done));  // BUG: SIGPIPE is not ignored
        if (w <= 0) break;
        done += w;
      }
    }
    close(origin);
  }
  close(client);
  return NULL;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  origin_port = atoi(words[2]);
  const int listener = listen_at(atoi(words[1]));
  for (;;) {
    const int client = accept(listener, NULL, NULL);
    pthread_t thread;
    if (client < 0) continue;
    pthread_create(&thread, NULL, handle, (void*)(long)client);
    pthread_detach(thread);
  }
}
