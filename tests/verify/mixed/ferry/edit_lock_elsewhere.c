// verify: still-fails
// A place is given back before the passenger has left it.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t places;
static pthread_mutex_t deck = PTHREAD_MUTEX_INITIALIZER;
static int aboard;

static pthread_mutex_t tickets = PTHREAD_MUTEX_INITIALIZER;
static int sold;

static void sell(void) {
  pthread_mutex_lock(&tickets);
  sold++;
  pthread_mutex_unlock(&tickets);
}

static void board(void) {
  sem_wait(&places);
  pthread_mutex_lock(&deck);
  aboard++;
  assert(aboard <= 2);
  pthread_mutex_unlock(&deck);
}

static void leave(void) {
  sem_post(&places);
  pthread_mutex_lock(&deck);
  aboard--;
  pthread_mutex_unlock(&deck);
}

static void* passenger(void* arg) {
  (void)arg;
  sell();
  board();
  leave();
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  sem_init(&places, 0, 2);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, passenger, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  sem_destroy(&places);
  return 0;
}
