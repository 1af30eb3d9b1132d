// A download accelerator with five connection threads whose parts are checked by one running sum over
// everything received. BUG=1: the status line of a connection that is refused is freed twice, which
// concerns that connection and the display alone. BUG=2: the running sum is read and written in two
// steps, so that it comes out wrong at the end of a whole download, to which every interval of every
// thread has contributed: nothing of such a run can be left out.
// Stands for: "prozilla-1" and "prozilla-2" of Execution Reduction Tables 1-6 (5 threads); the second is the one
// that cannot be reduced.
// Ours differs: written anew; the network is an array; a counter stands for the freed line.
// heddle-kernel: family=prozilla kind=assert granularity=sync optimum=1 variants=BUG:1,BUG:2 class=atomicity paper=execution-reduction row=1:prozilla-1,2:prozilla-2
#include <assert.h>
#include <pthread.h>
#include <string.h>

#ifndef BUG
#define BUG 1
#endif
#ifdef FIXED
#undef BUG
#define BUG 0
#endif

enum { kConnections = 5, kPackets = 4, kPacket = 64, kBytes = kConnections * kPackets * kPacket, kRefused = 2 };

static unsigned char source[kBytes], target[kBytes];
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum;
static pthread_mutex_t line_lock = PTHREAD_MUTEX_INITIALIZER;
static int line_present = 1, line_freed;

static void add_to_sum(unsigned amount) {
  pthread_mutex_lock(&sum_lock);
  unsigned now = sum;
  if (BUG == 2) {
    pthread_mutex_unlock(&sum_lock);
    pthread_mutex_lock(&sum_lock);  // BUG:2
  }
  sum = now + amount;
  pthread_mutex_unlock(&sum_lock);
}

static void free_line(void) {
  pthread_mutex_lock(&line_lock);
  int present = line_present;
  if (BUG == 1) {
    pthread_mutex_unlock(&line_lock);
    pthread_mutex_lock(&line_lock);  // BUG:1
  }
  if (present) {
    line_present = 0;
    line_freed++;
  }
  assert(line_freed <= 1);
  pthread_mutex_unlock(&line_lock);
}

static void* display(void* arg) {
  (void)arg;
  free_line();  // the user closes the window
  return NULL;
}

static void* fetch(void* arg) {
  int me = *(int*)arg;
  if (me == kRefused) free_line();  // refused at first, then let in
  for (int p = 0; p < kPackets; p++) {
    size_t at = (size_t)(me * kPackets + p) * kPacket;
    unsigned part = 0;
    memcpy(&target[at], &source[at], kPacket);
    for (size_t i = at; i < at + kPacket; i++) part += target[i];
    add_to_sum(part);
  }
  return NULL;
}

int main(void) {
  pthread_t t[kConnections], d;
  int id[kConnections];
  unsigned expected = 0;
  for (int i = 0; i < kBytes; i++) expected += source[i] = (unsigned char)(1 + i * 13 % 97);
  pthread_create(&d, NULL, display, NULL);
  for (int i = 0; i < kConnections; i++) {
    id[i] = i;
    pthread_create(&t[i], NULL, fetch, &id[i]);
  }
  pthread_join(d, NULL);
  for (int i = 0; i < kConnections; i++) pthread_join(t[i], NULL);
  assert(memcmp(source, target, kBytes) == 0);
  assert(sum == expected);
  return 0;
}
