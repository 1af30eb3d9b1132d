// verify: fixed
// One critical section, the helpers inlined, names changed.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct session {
  pthread_mutex_t guard;
  int valid;
  int count;
};

static void request(struct session* s) {
  pthread_mutex_lock(&s->guard);
  if (!s->valid) {
    s->count++;
    s->valid = 1;
  }
  pthread_mutex_unlock(&s->guard);
}

static void* client(void* arg) {
  request(arg);
  return NULL;
}

int main(void) {
  struct session* s = calloc(1, sizeof *s);
  pthread_mutex_init(&s->guard, NULL);
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], NULL, client, s);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  if (s->count != 1) {
    fprintf(stderr, "fetched %d times\n", s->count);
    return 3;
  }
  free(s);
  return 0;
}
