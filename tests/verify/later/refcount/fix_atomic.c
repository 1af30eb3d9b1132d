// verify: fixed
// One atomic step.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
  int refs;
  int data;
};
static int destroyed;

static void destroy(struct object* o) {
  o->data = -1;
  ++destroyed;
}

static void put(struct object* o) {
  if (__atomic_sub_fetch(&o->refs, 1, __ATOMIC_ACQ_REL) == 0) destroy(o);
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
  pthread_t a, b;
  pthread_create(&a, NULL, user, o);
  pthread_create(&b, NULL, user, o);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(destroyed == 1);
  free(o);
  return 0;
}
