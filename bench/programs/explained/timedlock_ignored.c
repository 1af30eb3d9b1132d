// The lock may not come in time; the section is entered all the same.
// heddle-bug: kind=assert granularity=access class=misuse set=tuned
// fix: (result|time-?out|whether|only).*
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void* slow(void* arg) {
  (void)arg;
  pthread_mutex_lock(&m);
  int now = total;
  struct timespec pause = {0, 50000000};
  nanosleep(&pause, NULL);
  total = now + 1;
  pthread_mutex_unlock(&m);
  return NULL;
}

static void* hurried(void* arg) {
  (void)arg;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 1000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  int failed = pthread_mutex_timedlock(&m, &until);  // BUG
  total++;
  if (!failed) pthread_mutex_unlock(&m);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, slow, NULL);
  pthread_create(&b, NULL, hurried, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(total == 2);
  return 0;
}
