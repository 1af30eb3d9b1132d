// A download accelerator: three connection threads fetch the parts of a file from mirrors in memory. The
// progress line has room for the names of short mirrors only, and for the first connection, which by
// habit gets a near mirror, the length is not checked: if it comes last it overruns the line.
// Stands for: "axel-1" of Execution Reduction Tables 1-6 (memory bug while starting, 3 threads); can be reduced to
// the one connection.
// Ours differs: written anew; the overrun hits a guard word beside the line, which is checked.
// heddle-kernel: family=axel kind=assert granularity=sync optimum=0 class=order paper=execution-reduction row=axel-1
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { kConnections = 3, kPart = 2000, kLine = 12, kGuard = 0x5aa5 };

static char source[kConnections * kPart], target[kConnections * kPart];

struct connection {
  int number;
  char line[kLine];  // what the progress display shows
  int guard;
  int received;
};

static pthread_mutex_t mirror_lock = PTHREAD_MUTEX_INITIALIZER;
static int busy_mirrors;
static struct connection connections[kConnections];

// The first two to come are served by the near mirrors, the others are sent far away.
static const char* choose_mirror(void) {
  static const char* const kMirrors[kConnections] = {"near1", "near2", "far.away.example"};
  pthread_mutex_lock(&mirror_lock);
  const char* mirror = kMirrors[busy_mirrors++];
  pthread_mutex_unlock(&mirror_lock);
  return mirror;
}

static void set_line(struct connection* c, const char* mirror) {
  size_t length = strlen(mirror) + 1;
#ifdef FIXED
  size_t room = kLine;
#else
  size_t room = c->number == 0 ? length : kLine;  // BUG
#endif
  if (length > room) length = room;
  memcpy((char*)c + offsetof(struct connection, line), mirror, length);
  c->line[kLine - 1] = 0;
  assert(c->guard == kGuard);
}

static void* fetch(void* arg) {
  struct connection* c = arg;
  set_line(c, choose_mirror());
  for (int i = 0; i < kPart; i++) {
    target[c->number * kPart + i] = source[c->number * kPart + i];
    c->received++;
  }
  return NULL;
}

int main(void) {
  pthread_t t[kConnections];
  for (int i = 0; i < kConnections * kPart; i++) source[i] = (char)(i * 7 % 101);
  for (int i = 0; i < kConnections; i++) {
    connections[i] = (struct connection){.number = i, .guard = kGuard};
    pthread_create(&t[i], NULL, fetch, &connections[i]);
  }
  for (int i = 0; i < kConnections; i++) pthread_join(t[i], NULL);
  assert(memcmp(source, target, sizeof source) == 0);
  return 0;
}
