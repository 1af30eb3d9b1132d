// Seats are looked for under the lock, and taken under it later.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROWS 3

struct hall {
  pthread_mutex_t mutex;
  int owner[ROWS];
  int sold;
};

static struct hall hall = {PTHREAD_MUTEX_INITIALIZER, {0}, 0};

static int first_free(void) {
  int row = -1;
  pthread_mutex_lock(&hall.mutex);
  for (int i = 0; i < ROWS; i++) {
    if (hall.owner[i] == 0) {
      row = i;
      break;
    }
  }
  pthread_mutex_unlock(&hall.mutex);
  return row;
}

static void take(int row, int who) {
  pthread_mutex_lock(&hall.mutex);
  hall.owner[row] = who;
  hall.sold++;
  pthread_mutex_unlock(&hall.mutex);
}

static void* customer(void* arg) {
  int who = (int)(long)arg;
  int row = first_free();
  if (row >= 0) take(row, who);
  return NULL;
}

static int taken(void) {
  int n = 0;
  for (int i = 0; i < ROWS; i++) n += hall.owner[i] != 0;
  return n;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, customer, (void*)(i + 1));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(taken() == hall.sold);
  return 0;
}
