// Threads without attributes get the program's default ones: their mask of signals, their stack.
// heddle: expect=none runs<=30
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static int masked;
static size_t size;

static void* look(void* unused) {
  sigset_t mask;
  pthread_attr_t attributes;
  (void)unused;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  masked = sigismember(&mask, SIGHUP) == 1 && sigismember(&mask, SIGUSR1) == 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  sigemptyset(&mask);
  sigaddset(&mask, SIGHUP);
  pthread_attr_init(&attributes);
  pthread_attr_setsigmask_np(&attributes, &mask);
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  if (pthread_setattr_default_np(&attributes) != 0) return 1;
  pthread_create(&thread, NULL, look, NULL);
  pthread_join(thread, NULL);
  return masked && size <= 520 * 1024 ? 0 : 2;
}
