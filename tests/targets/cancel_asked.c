// A thread that only asks whether it has been cancelled lets the others run.
// heddle: expect=none runs<=20
#include <pthread.h>
#include <stddef.h>

static void* ask(void* unused) {
  for (;;) pthread_testcancel();
  return unused;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, ask, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED ? 0 : 1;
}
