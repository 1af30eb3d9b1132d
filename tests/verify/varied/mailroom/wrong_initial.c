// verify: still-fails
// One is there from the start.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static sem_t letters;
static char text[2][16];

static void announce(void) { sem_post(&letters); }

static void* sender(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; ++i) {
    strcpy(text[i], "dear reader");
    announce();
  }
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; ++i) {
    sem_wait(&letters);
    assert(strcmp(text[i], "dear reader") == 0);
  }
  return NULL;
}

int main(void) {
  sem_init(&letters, 0, 1);
  pthread_t a, b;
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
