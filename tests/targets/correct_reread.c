// heddle: expect=none runs<=4 compile=instrumented flags="--points all"
// One thread reads the same pointer again and again: it looks like a wait, but what it calls is not instrumented and gets on.
#include <pthread.h>

static long* volatile where;
static long sum;

__attribute__((noinline, no_sanitize("thread"))) static void unseen(const long* from) { sum += *from; }

static void* walk(void* unused) {
  (void)unused;
  for (int i = 0; i < 6000; ++i) unseen(where);
  return 0;
}

int main(void) {
  static long one = 1;
  pthread_t thread;
  where = &one;
  pthread_create(&thread, 0, walk, 0);
  pthread_join(thread, 0);
  return sum != 6000;
}
