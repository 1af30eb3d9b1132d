// A service is stopped under its lock and its thread joined there; the thread needs the lock once more
// to finish.
// Stands for: join-while-holding, a row of the deadlock studies (Lu et al. 2008, section 4.2).
// Ours differs: if the thread has finished its last round first, nothing goes wrong.
// heddle-kernel: family=join_deadlock kind=deadlock granularity=sync optimum=0 class=deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, stop;

static void* service(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    rounds++;
    int leave = stop;
    pthread_mutex_unlock(&lock);
    if (leave) break;
  }
  return NULL;
}

int main(void) {
  pthread_t s;
  pthread_create(&s, NULL, service, NULL);
  pthread_mutex_lock(&lock);
  stop = 1;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
  pthread_join(s, NULL);
#else
  pthread_join(s, NULL);  // BUG
  pthread_mutex_unlock(&lock);
#endif
  return 0;
}
