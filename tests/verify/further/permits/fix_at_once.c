// verify: fixed
// Each worker needs two permits and takes them one by one.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define WORKERS 3
#define PERMITS 3
static sem_t permits;
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

static void* worker(void* name) {
  pthread_mutex_lock(&taking);
  sem_wait(&permits);
  sem_wait(&permits);
  pthread_mutex_unlock(&taking);
  printf("%s works\n", (const char*)name);
  sem_post(&permits);
  sem_post(&permits);
  return NULL;
}

int main(void) {
  pthread_t all[WORKERS];
  sem_init(&permits, 0, PERMITS);
  char* names[] = {"one", "two", "three"};
  for (int i = 0; i < WORKERS; ++i) pthread_create(&all[i], NULL, worker, names[i]);
  for (int i = 0; i < WORKERS; ++i) pthread_join(all[i], NULL);
  return 0;
}
