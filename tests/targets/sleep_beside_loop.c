// heddle: expect=none runs<=20 flags="--max-events 50000"
// A thread sleeps for a second while main does nothing but lock and unlock: computing takes time, and the sleep ends.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t begun;
static int done;

static void* sleeper(void* unused) {
  sem_post(&begun);
  sleep(1);
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&begun, 0, 0);
  pthread_create(&thread, NULL, sleeper, NULL);
  sem_wait(&begun);
  for (int seen = 0; !seen;) {
    pthread_mutex_lock(&lock);
    seen = done;
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, NULL);
  return 0;
}
