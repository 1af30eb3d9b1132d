// verify: fixed|cannot-tell
// The count is lowered and looked at in two steps.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

struct node {
  atomic_int refs;
  atomic_int disposed;
  int payload;
};

static void dispose(struct node* n) {
  int before = atomic_fetch_add(&n->disposed, 1);
  assert(before == 0);
}

static void drop(struct node* n) {
  pthread_mutex_lock(&counting);
  atomic_fetch_sub(&n->refs, 1);
  int last = atomic_load(&n->refs) == 0;
  pthread_mutex_unlock(&counting);
  if (last) dispose(n);
}

static void* user(void* arg) {
  struct node* n = arg;
  int seen = n->payload;
  drop(n);
  return (void*)(long)seen;
}

int main(void) {
  struct node* n = malloc(sizeof *n);
  atomic_init(&n->refs, 2);
  atomic_init(&n->disposed, 0);
  n->payload = 3;
  pthread_t a, b;
  pthread_create(&a, NULL, user, n);
  pthread_create(&b, NULL, user, n);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(n);
  return 0;
}
