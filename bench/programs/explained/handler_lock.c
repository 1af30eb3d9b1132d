// A signal's handler takes the lock that the thread under it holds.
// heddle-bug: kind=deadlock granularity=sync class=deadlock set=tuned
// fix: block the signal|no lock in the handler
#include <pthread.h>
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void on_usr1(int s) {
  (void)s;
  pthread_mutex_lock(&m);  // BUG
  count = 0;
  pthread_mutex_unlock(&m);
}
static void* worker(void* a) {
  (void)a;
  pthread_mutex_lock(&m);  // BUG
  count++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  signal(SIGUSR1, on_usr1);
  pthread_create(&t, 0, worker, 0);
  pthread_kill(t, SIGUSR1);
  pthread_join(t, 0);
  return 0;
}
