// verify: still-fails
// However long it is.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* table;

static void* fill(void* arg) {
  (void)arg;
  int* made = calloc(4, sizeof *made);
  made[0] = 7;
  pthread_mutex_lock(&lock);
  table = made;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* look(void* arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  const int* seen = table;
  pthread_mutex_unlock(&lock);
  assert(seen != NULL && seen[0] == 7);
  return NULL;
}

int main(void) {
  pthread_t filler, looker;
  pthread_create(&filler, NULL, fill, NULL);
  sleep(5);
  pthread_create(&looker, NULL, look, NULL);
  pthread_join(filler, NULL);
  pthread_join(looker, NULL);
  free(table);
  return 0;
}
