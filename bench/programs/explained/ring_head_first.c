// The producer moves the head on before the slot is filled.
// heddle-bug: kind=assert granularity=access class=order set=tuned
// fix: by which main goes on.* last
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define SLOTS 4
static int slots[SLOTS];
static atomic_uint head, tail;

static void push(int value) {
  unsigned at = atomic_load(&head);
  atomic_store(&head, at + 1);  // BUG
  slots[at % SLOTS] = value;
}

static int pop(void) {
  unsigned at = atomic_load(&tail);
  while (atomic_load(&head) == at) sched_yield();
  int value = slots[at % SLOTS];
  atomic_store(&tail, at + 1);
  return value;
}

static void* producer(void* unused) {
  for (int i = 1; i <= 2; ++i) push(i * 10);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, producer, NULL);
  int a = pop(), b = pop();
  assert(a == 10 && b == 20);
  pthread_join(t, NULL);
  return 0;
}
