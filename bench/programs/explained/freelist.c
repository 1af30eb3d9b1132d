// A lock-free free list with ABA: pop reads next, others pop two and push the first back.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: ABA|version|hazard
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct block {
  struct block* next;
  atomic_int used;
};
static struct block blocks[3];
static _Atomic(struct block*) free_list;

static struct block* take(void) {
  for (;;) {
    struct block* top = atomic_load(&free_list);
    if (!top) return NULL;
    struct block* next = top->next;
    if (atomic_compare_exchange_strong(&free_list, &top, next)) {  // BUG
      assert(atomic_fetch_add(&top->used, 1) == 0);
      return top;
    }
  }
}

static void give(struct block* b) {
  atomic_fetch_sub(&b->used, 1);
  struct block* top = atomic_load(&free_list);
  do b->next = top;
  while (!atomic_compare_exchange_strong(&free_list, &top, b));
}

static void* one(void* unused) {
  take();
  take();
  return unused;
}
static void* other(void* unused) {
  struct block* a = take();
  struct block* b = take();
  if (a) give(a);
  (void)b;
  return unused;
}

int main(void) {
  for (int i = 2; i >= 0; --i) {
    blocks[i].next = atomic_load(&free_list);
    atomic_store(&free_list, &blocks[i]);
  }
  pthread_t s, t;
  pthread_create(&s, NULL, one, NULL);
  pthread_create(&t, NULL, other, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
  return 0;
}
