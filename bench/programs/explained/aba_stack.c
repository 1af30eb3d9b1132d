// A node is taken from a lock-free stack, and put back, while another thread is about to swap it out (ABA).
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: version|tag|hazard
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct node {
  struct node* _Atomic next;
  int taken;
};
static struct node a, b, c;
static struct node* _Atomic top;
static void push(struct node* n) {
  struct node* old = atomic_load(&top);
  do atomic_store(&n->next, old);
  while (!atomic_compare_exchange_strong(&top, &old, n));
}
static struct node* pop(void) {
  struct node* old = atomic_load(&top);
  struct node* next;
  do {
    if (!old) return NULL;
    next = atomic_load(&old->next);                             // BUG
  } while (!atomic_compare_exchange_strong(&top, &old, next));  // BUG
  return old;
}
static void* one(void* x) {
  (void)x;
  pop();
  struct node* n = pop();
  if (n) n->taken++;
  return 0;
}
static void* two(void* x) {
  (void)x;
  struct node* p = pop();
  struct node* q = pop();
  if (q) q->taken++;
  if (p) push(p);
  return 0;
}
int main(void) {
  pthread_t t, u;
  push(&c);
  push(&b);
  push(&a);
  pthread_create(&t, 0, one, 0);
  pthread_create(&u, 0, two, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a.taken <= 1 && b.taken <= 1 && c.taken <= 1);
  return 0;
}
