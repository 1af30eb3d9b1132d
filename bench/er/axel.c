// A download accelerator: each of three threads asks a mirror for its name and fetches a part of a file. The progress line of the first one has room for a
// short name only.
// Stands for: "axel-1" of Execution Reduction Tables 1-6 (a memory bug while it starts).
// usage: axel PORT BYTES
#include <pthread.h>

#include "net.h"

enum { kParts = 3, kPiece = 4096 };
static int port;
static long part_bytes;
struct part {
  char line[16];
  void (*show)(const char*);
  long number;
};
static void show(const char* line) { fprintf(stderr, "%s\n", line); }

static void* fetch(void* argument) {
  struct part* part = argument;
  char name[256], piece[kPiece], request[64];
  const int server = connect_to(port);
  long left = part_bytes;
  if (server < 0 || write(server, "NAME\n", 5) < 0 || read_line(server, name, sizeof name) < 0) return NULL;
  if (part->number == 0) {
    strcpy(part->line, name);  // BUG
  } else {
    snprintf(part->line, sizeof part->line, "%s", name);
  }
  part->show(part->line);
  snprintf(request, sizeof request, "GET %ld %ld\n", part->number * part_bytes, part_bytes);
  if (write(server, request, strlen(request)) < 0) return NULL;
  while (left > 0) {
    const ssize_t n = read(server, piece, left < kPiece ? (size_t)left : kPiece);
    if (n <= 0) break;
    left -= n;
  }
  close(server);
  return NULL;
}

int main(int count, char** words) {
  pthread_t threads[kParts];
  if (count < 3) return 2;
  port = atoi(words[1]);
  part_bytes = atol(words[2]) / kParts;
  for (long i = kParts - 1; i >= 0; i--) {
    struct part* part = calloc(1, sizeof *part);
    part->show = show;
    part->number = i;
    pthread_create(&threads[i], NULL, fetch, part);
  }
  for (int i = 0; i < kParts; i++) pthread_join(threads[i], NULL);
  return 0;
}
