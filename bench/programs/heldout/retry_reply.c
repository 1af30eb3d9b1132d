// A request that got no reply within 20 ms is sent again; then both replies come, and each counts.
// heddle-kernel: family=retry_reply kind=assert granularity=sync class=order
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static sem_t requests, replies;
static atomic_int served, asked;

static void* server(void* unused) {
  (void)unused;
  for (;;) {
    sem_wait(&requests);
    if (atomic_load(&asked) < 0) return NULL;
    atomic_fetch_add(&served, 1);
    sem_post(&replies);
  }
}

int main(void) {
  sem_init(&requests, 0, 0);
  sem_init(&replies, 0, 0);
  pthread_t t;
  pthread_create(&t, NULL, server, NULL);
  atomic_fetch_add(&asked, 1);
  sem_post(&requests);
#ifdef FIXED
  sem_wait(&replies);
#else
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 20000000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, ++until.tv_sec;
  if (sem_timedwait(&replies, &until) != 0) {
    sem_post(&requests);  // BUG
    sem_wait(&replies);
    sem_wait(&replies);
  }
#endif
  assert(atomic_load(&served) == 1);
  atomic_store(&asked, -1);
  sem_post(&requests);
  pthread_join(t, NULL);
  return 0;
}
