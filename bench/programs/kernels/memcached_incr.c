// An increment command looks the item up under the table's lock, computes the new value outside and
// stores it under the lock again.
// Stands for: memcached 1.4 "incr is not atomic" (issue 127), a row of several suites.
// Ours differs: one item, two clients.
// heddle-kernel: family=memcached_incr kind=assert granularity=sync optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static char item[12] = "0";

static void item_get(char copy[12]) {
  for (int i = 0; i < 12; i++) copy[i] = item[i];
}

static void item_set(int value) { snprintf(item, sizeof item, "%d", value); }

static void* client(void* arg) {
  (void)arg;
  char text[12];
  pthread_mutex_lock(&table_lock);
  item_get(text);
#ifndef FIXED
  pthread_mutex_unlock(&table_lock);  // BUG
#endif
  int value = atoi(text) + 1;
#ifndef FIXED
  pthread_mutex_lock(&table_lock);
#endif
  item_set(value);
  pthread_mutex_unlock(&table_lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, client, NULL);
  pthread_create(&b, NULL, client, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atoi(item) == 2);
  return 0;
}
