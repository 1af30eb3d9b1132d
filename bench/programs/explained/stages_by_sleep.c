// The second stage counts on the first to be done after ten milliseconds.
// heddle-bug: kind=assert granularity=sync class=order set=tuned
// fix: join|wait|before
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int samples[3];
static int average;

static void* acquire(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) samples[i] = 10;  // BUG
  return 0;
}

static void* analyse(void* unused) {
  (void)unused;
  usleep(10000);
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += samples[i];  // BUG
  average = sum / 3;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, acquire, 0);
  pthread_create(&b, 0, analyse, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(average == 10);
  return 0;
}
