// Waits for a signal with a look and a pause(): the signal comes between the two.
// heddle-bug: kind=deadlock granularity=sync class=lost-wakeup,deadlock set=tuned
// fix: sigsuspend
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t reload;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int configured;

static void on_hup(int signal) {
  (void)signal;
  reload = 1;
}

static void* server(void* unused) {
  pthread_mutex_lock(&lock);
  configured = 1;
  pthread_mutex_unlock(&lock);
  if (!reload) {
    pthread_mutex_lock(&lock);
    configured = 2;
    pthread_mutex_unlock(&lock);
    pause();  // BUG
  }
  return unused;
}

int main(void) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = on_hup;
  sigaction(SIGHUP, &act, NULL);
  pthread_t t;
  pthread_create(&t, NULL, server, NULL);
  pthread_kill(t, SIGHUP);
  pthread_join(t, NULL);
  return 0;
}
