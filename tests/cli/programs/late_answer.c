// A request that timed out, and the next in the same slot, which the late answer to the first one reaches. No run in which the server is in time
// suggests it: the wait has to time out in the midst of the server's work. "check": as it should be.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static int wanted, pending, done, answer, closing;
static int careful;

static void* server(void* unused) {
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (!pending && !closing) pthread_cond_wait(&asked, &mutex);
    if (!pending) break;
    const int number = wanted;
    pending = 0;
    pthread_mutex_unlock(&mutex);
    const int result = number * 7;
    pthread_mutex_lock(&mutex);
    if (careful && wanted != number) continue;
    answer = result;
    done = 1;
    pthread_cond_signal(&answered);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void ask(int number) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += 20000000;
  if (end.tv_nsec >= 1000000000) {
    end.tv_sec += 1;
    end.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&mutex);
  wanted = number;
  done = 0;
  pending = 1;
  pthread_cond_signal(&asked);
  int code = 0;
  while (!done && code != ETIMEDOUT) code = pthread_cond_timedwait(&answered, &mutex, &end);
  if (done && answer != number * 7) abort();
  pthread_mutex_unlock(&mutex);
}

int main(int argc, char** argv) {
  careful = argc > 1 && strcmp(argv[1], "check") == 0;
  pthread_t thread;
  pthread_create(&thread, NULL, server, NULL);
  for (int i = 1; i < 4; i++) ask(i);
  pthread_mutex_lock(&mutex);
  closing = 1;
  pthread_cond_signal(&asked);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
