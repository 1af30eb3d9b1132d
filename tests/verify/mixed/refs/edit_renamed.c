// verify: still-fails
// The count is lowered and looked at in two steps.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
  atomic_int owners;
  atomic_int disposed;
  int payload;
};

static void destroy(struct object* n) {
  int before = atomic_fetch_add(&n->disposed, 1);
  assert(before == 0);
}

static void unref(struct object* n) {
  atomic_fetch_sub(&n->owners, 1);
  if (atomic_load(&n->owners) == 0) destroy(n);
}

static void* owner(void* arg) {
  struct object* n = arg;
  int seen = n->payload;
  unref(n);
  return (void*)(long)seen;
}

int main(void) {
  struct object* n = malloc(sizeof *n);
  atomic_init(&n->owners, 2);
  atomic_init(&n->disposed, 0);
  n->payload = 3;
  pthread_t a, b;
  pthread_create(&a, NULL, owner, n);
  pthread_create(&b, NULL, owner, n);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(n);
  return 0;
}
