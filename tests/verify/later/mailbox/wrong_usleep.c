// verify: still-fails|cannot-tell
// Sleeps before it looks.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sem_t letters;
static pthread_mutex_t box_lock = PTHREAD_MUTEX_INITIALIZER;
static char box[2][16];
static int used;

static void deliver(const char* what) {
  sem_post(&letters);
  pthread_mutex_lock(&box_lock);
  strcpy(box[used], what);
  used++;
  pthread_mutex_unlock(&box_lock);
}

static void* postman(void* arg) {
  (void)arg;
  deliver("bill");
  deliver("card");
  return NULL;
}

static void* reader(void* arg) {
  (void)arg;
  for (int i = 0; i < 2; ++i) {
    sem_wait(&letters);
    usleep(10000);
    pthread_mutex_lock(&box_lock);
    if (used <= i) {
      fprintf(stderr, "letter %d is not there\n", i);
      _Exit(3);
    }
    pthread_mutex_unlock(&box_lock);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  sem_init(&letters, 0, 0);
  pthread_create(&a, NULL, reader, NULL);
  pthread_create(&b, NULL, postman, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
