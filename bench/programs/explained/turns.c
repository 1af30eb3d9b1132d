// Two semaphores for taking turns, both of which start with a permit.
// heddle-bug: kind=assert granularity=sync class=order,atomicity set=held
// fix: wait|before|permit|0
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping_turn, pong_turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pings, pongs;

static void* ping(void* unused) {
  for (int i = 0; i < 2; ++i) {
    sem_wait(&ping_turn);
    pthread_mutex_lock(&lock);
    ++pings;
    pthread_mutex_unlock(&lock);
    sem_post(&pong_turn);
  }
  return unused;
}
static void* pong(void* unused) {
  for (int i = 0; i < 2; ++i) {
    sem_wait(&pong_turn);  // BUG
    pthread_mutex_lock(&lock);
    ++pongs;
    assert(pongs <= pings);
    pthread_mutex_unlock(&lock);
    sem_post(&ping_turn);
  }
  return unused;
}

int main(void) {
  sem_init(&ping_turn, 0, 1);
  sem_init(&pong_turn, 0, 1);  // FIX
  pthread_t a, b;
  pthread_create(&a, NULL, ping, NULL);
  pthread_create(&b, NULL, pong, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
