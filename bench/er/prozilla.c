// A download accelerator: five threads fetch the parts of a file from a server, each over a connection of its own, and add what they got to one running sum.
// BUG 1: when all parts are there the main thread asks where the next file is, and copies the server's status line into a field that is too short for it.
// BUG 2: the running sum is read and written in two steps: it may be wrong at the end, to which every piece has contributed.
// Stands for: "prozilla-1" and "prozilla-2" of Execution Reduction Tables 1-6.
// usage: prozilla PORT BYTES BUG
#include <pthread.h>

#include "net.h"

enum { kParts = 5, kPiece = 65536 };
static int port, bug;
static long part_bytes;
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sum, received;

static void add_to_sum(unsigned long amount, long bytes) {
  if (bug == 2) {
    pthread_mutex_lock(&sum_lock);
    const unsigned long before = sum;
    pthread_mutex_unlock(&sum_lock);
    pthread_mutex_lock(&sum_lock);
    sum = before + amount;  // BUG 2
    received += (unsigned long)bytes;
    pthread_mutex_unlock(&sum_lock);
    return;
  }
  pthread_mutex_lock(&sum_lock);
  sum += amount;
  received += (unsigned long)bytes;
  pthread_mutex_unlock(&sum_lock);
}

static void* fetch(void* argument) {
  const long part = (long)argument;
  unsigned char* piece = malloc(kPiece);
  char request[64];
  const int server = connect_to(port);
  long left = part_bytes;
  if (server < 0) return NULL;
  snprintf(request, sizeof request, "GET %ld %ld\n", part * part_bytes, part_bytes);
  if (write(server, request, strlen(request)) < 0) return NULL;
  while (left > 0) {
    const ssize_t n = read(server, piece, left < kPiece ? (size_t)left : kPiece);
    unsigned long amount = 0;
    if (n <= 0) break;
    for (ssize_t i = 0; i < n; i++) amount += piece[i];
    add_to_sum(amount, n);
    left -= n;
  }
  close(server);
  free(piece);
  return NULL;
}

struct display {
  char line[32];
  void (*draw)(const char*);
};
static void draw(const char* line) { fprintf(stderr, "%s\n", line); }

static void next_file(void) {
  struct display* display = malloc(sizeof *display);
  char status[1024];
  const int server = connect_to(port);
  display->draw = draw;
  if (server < 0 || write(server, "NEXT\n", 5) < 0 || read_line(server, status, sizeof status) < 0) exit(3);
  if (bug == 1) {
    strcpy(display->line, status);  // BUG 1
  } else {
    snprintf(display->line, sizeof display->line, "%s", status);
  }
  display->draw(display->line);
  close(server);
  free(display);
}

int main(int count, char** words) {
  pthread_t threads[kParts];
  if (count < 4) return 2;
  port = atoi(words[1]);
  part_bytes = atol(words[2]) / kParts;
  bug = atoi(words[3]);
  for (long i = 0; i < kParts; i++) pthread_create(&threads[i], NULL, fetch, (void*)i);
  for (int i = 0; i < kParts; i++) pthread_join(threads[i], NULL);
  // Every byte of the file is its offset, modulo 251.
  if (bug == 2) {
    unsigned long right = 0;
    for (long i = 0; i < part_bytes * kParts; i++) right += (unsigned long)(i % 251);
    if (sum != right) abort();
  }
  next_file();
  return 0;
}
