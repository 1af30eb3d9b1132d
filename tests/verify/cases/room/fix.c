// verify: fixed
// One may be inside.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t slots;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used, most;

static int room(void) {
  pthread_mutex_lock(&lock);
  const int free_slots = 1 - used;
  pthread_mutex_unlock(&lock);
  return free_slots > 0;
}

static void* worker(void* arg) {
  (void)arg;
  sem_wait(&slots);
  if (room()) {
    pthread_mutex_lock(&lock);
    ++used;
    if (used > most) most = used;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    --used;
    pthread_mutex_unlock(&lock);
  }
  sem_post(&slots);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&slots, 0, 1);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (most > 1) fprintf(stderr, "%d workers were in a room for one\n", most);
  return most > 1 ? 3 : 0;
}
