// A thread is cancelled inside of an initialiser, in code that the unwinder cannot pass: whoever comes next runs it again.
// heddle: expect=none runs<=30 options=-fno-exceptions,-fno-unwind-tables,-fno-asynchronous-unwind-tables
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made;

static void hangs(void) {
  for (;;) sleep(1000);
}
static void makes(void) { made = 1; }
static void* first(void* unused) {
  (void)unused;
  pthread_once(&once, hangs);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, first, NULL);
  usleep(100);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_once(&once, made ? hangs : makes);
  return !made;
}
