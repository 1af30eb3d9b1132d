// main ends while a detached thread is still under way, which then finds closed what it uses. A run in which nobody is stopped never shows
// the thread: it has to be let in before the process ends.
// heddle: expect=assert preemptions=1 runs<=4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int open = 1;

static void* use(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  assert(open);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t user;
  pthread_create(&user, NULL, use, NULL);
  pthread_detach(user);
  pthread_mutex_lock(&lock);
  open = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}
