// heddle: expect=signal preemptions=1 runs<=200
// The owner takes its lock away while another thread is about to use it: that thread crashes, whoever ran before it.
#include <pthread.h>

static pthread_mutex_t storage = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* shared = &storage;

static void* user(void* unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&gate);
    pthread_mutex_t* mine = shared;
    pthread_mutex_unlock(&gate);
    if (!mine && i == 0) return 0;
    pthread_mutex_lock(mine);
    pthread_mutex_unlock(mine);
  }
  return 0;
}

static void* owner(void* unused) {
  (void)unused;
  pthread_mutex_lock(&gate);
  shared = 0;
  pthread_mutex_unlock(&gate);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, user, 0);
  pthread_create(&two, 0, owner, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
