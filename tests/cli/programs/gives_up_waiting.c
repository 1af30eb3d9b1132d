// main gives up waiting for its worker, and takes away what that one still uses. How it waits, and for how many seconds, is said on the
// command line; "handled" as a third word: it waits on.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t finished;
static int done, gone;

static void* worker(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    if (gone) abort();
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  sem_post(&finished);
  return unused;
}

static int waits(const char* how, pthread_t thread, long seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  if (strcmp(how, "join") == 0) return pthread_timedjoin_np(thread, NULL, &until);
  if (strcmp(how, "semaphore") == 0) return sem_timedwait(&finished, &until);
  int ended = 0;
  pthread_mutex_lock(&mutex);
  while (!done && ended == 0) ended = pthread_cond_timedwait(&changed, &mutex, &until);
  ended = !done;
  pthread_mutex_unlock(&mutex);
  return ended;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  sem_init(&finished, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  while (waits(argv[1], thread, atol(argv[2])) != 0 && argc > 3) continue;
  pthread_mutex_lock(&mutex);
  gone = 1;
  pthread_mutex_unlock(&mutex);
  if (strcmp(argv[1], "join") != 0) pthread_join(thread, NULL);
  return 0;
}
