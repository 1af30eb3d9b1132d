// A link goes down, idle, up; each step looks and then writes. It breaks only if another comes between two such pairs.
// heddle-bug: kind=assert granularity=access class=atomicity set=tuned
// fix: one (lock|critical section|atomic step|step)|same lock|hold|compare
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { DOWN, IDLE, UP };
static atomic_int state = DOWN;
static atomic_int opened;

static void* opener(void* arg) {
  (void)arg;
  if (atomic_load(&state) == DOWN)    // BUG
    atomic_store(&state, IDLE);       // BUG
  if (atomic_load(&state) == IDLE) {  // BUG
    atomic_store(&state, UP);         // BUG
    int count = atomic_fetch_add(&opened, 1);
    assert(count == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, opener, NULL);
  pthread_create(&b, NULL, opener, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
