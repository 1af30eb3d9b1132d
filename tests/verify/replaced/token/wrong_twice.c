// verify: still-fails
// Looked at twice, both before.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct session {
  pthread_mutex_t mutex;
  int valid;
  int fetched;
};

static void fetch(struct session* s) {
  pthread_mutex_lock(&s->mutex);
  s->fetched++;
  s->valid = 1;
  pthread_mutex_unlock(&s->mutex);
}

static int is_valid(struct session* s) {
  pthread_mutex_lock(&s->mutex);
  int valid = s->valid;
  pthread_mutex_unlock(&s->mutex);
  return valid;
}

static void request(struct session* s) {
  if (!is_valid(s) && !is_valid(s)) fetch(s);
}

static void* client(void* arg) {
  request(arg);
  return NULL;
}

int main(void) {
  struct session* s = calloc(1, sizeof *s);
  pthread_mutex_init(&s->mutex, NULL);
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], NULL, client, s);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  if (s->fetched != 1) {
    fprintf(stderr, "fetched %d times\n", s->fetched);
    return 3;
  }
  free(s);
  return 0;
}
