// The table gives out an object whose count has fallen to zero and that is about to be freed.
// heddle-bug: kind=signal,abort,assert granularity=access class=uaf set=held
// fix: hold|lock|one (atomic )?step|before|wait
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
  atomic_int refs;
  int payload;
};
static _Atomic(struct object*) table;

static void drop(struct object* o) {
  if (atomic_fetch_sub(&o->refs, 1) == 1) {
    atomic_store(&table, NULL);
    free(o);  // FIX
  }
}

static void* lookup(void* unused) {
  struct object* o = atomic_load(&table);
  if (o) {
    atomic_fetch_add(&o->refs, 1);  // BUG
    o->payload++;
    drop(o);
  }
  return unused;
}

int main(void) {
  struct object* o = malloc(sizeof *o);
  atomic_init(&o->refs, 1);
  o->payload = 0;
  atomic_store(&table, o);
  pthread_t t;
  pthread_create(&t, NULL, lookup, NULL);
  drop(o);
  pthread_join(t, NULL);
  return 0;
}
