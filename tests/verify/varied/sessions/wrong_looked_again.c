// verify: still-fails
// Looks whether it is still there before it uses it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct session {
  int id, open;
  long bytes;
};
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session* table[4];

static struct session* lookup(int id) {
  pthread_mutex_lock(&table_lock);
  struct session* s = table[id];
  pthread_mutex_unlock(&table_lock);
  return s;
}

static void* receive(void* arg) {
  struct session* s = lookup(*(int*)arg);
  if (s == NULL || lookup(*(int*)arg) != s) return NULL;
  s->bytes += 100;
  return NULL;
}

static void* close_session(void* arg) {
  int id = *(int*)arg;
  pthread_mutex_lock(&table_lock);
  struct session* s = table[id];
  table[id] = NULL;
  pthread_mutex_unlock(&table_lock);
  free(s);
  return NULL;
}

int main(void) {
  int id = 2;
  table[id] = calloc(1, sizeof *table[id]);
  table[id]->id = id;
  pthread_t a, b;
  pthread_create(&a, NULL, receive, &id);
  pthread_create(&b, NULL, close_session, &id);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
