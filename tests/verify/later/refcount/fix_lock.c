// verify: fixed
// A lock in the object.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
  int refs;
  int data;
  pthread_mutex_t lock;
};
static int destroyed;

static void destroy(struct object* o) {
  o->data = -1;
  ++destroyed;
}

static void put(struct object* o) {
  pthread_mutex_lock(&o->lock);
  const int left = --o->refs;
  pthread_mutex_unlock(&o->lock);
  if (left == 0) destroy(o);
}

static void* user(void* arg) {
  struct object* o = arg;
  put(o);
  return NULL;
}

int main(void) {
  struct object* o = malloc(sizeof *o);
  o->refs = 2;
  o->data = 7;
  pthread_mutex_init(&o->lock, NULL);
  pthread_t a, b;
  pthread_create(&a, NULL, user, o);
  pthread_create(&b, NULL, user, o);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(destroyed == 1);
  free(o);
  return 0;
}
