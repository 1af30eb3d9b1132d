// verify: still-fails
// Seats are looked for under the lock, and taken under it later.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROWS 3

// Names are clearer now.

struct theatre {
  pthread_mutex_t guard;
  int owner[ROWS];
  int sold;
};

static struct theatre theatre = {PTHREAD_MUTEX_INITIALIZER, {0}, 0};

static int find_seat(void) {
  int row = -1;
  pthread_mutex_lock(&theatre.guard);
  for (int i = 0; i < ROWS; i++) {
    if (theatre.owner[i] == 0) {
      row = i;
      break;
    }
  }
  pthread_mutex_unlock(&theatre.guard);
  return row;
}

static void book(int row, int who) {
  pthread_mutex_lock(&theatre.guard);
  theatre.owner[row] = who;
  theatre.sold++;
  pthread_mutex_unlock(&theatre.guard);
}

static void* visitor(void* arg) {
  int who = (int)(long)arg;
  int row = find_seat();
  if (row >= 0) book(row, who);
  return NULL;
}

static int taken(void) {
  int n = 0;
  for (int i = 0; i < ROWS; i++) n += theatre.owner[i] != 0;
  return n;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, visitor, (void*)(i + 1));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(taken() == theatre.sold);
  return 0;
}
