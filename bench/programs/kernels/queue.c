// A bounded FIFO whose two ends are guarded by different locks although they share the element
// count: an increment and a decrement of the count can swallow one another.
// Stands for: "queue" of SV-COMP pthread and SCTBench CS.
// Ours differs: the count is read, then written in a second step, as a compiler would do it.
// heddle-kernel: family=queue kind=assert granularity=access optimum=1 class=race
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { kSlots = 4, kItems = 3 };

static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef FIXED
static pthread_mutex_t tail_lock = PTHREAD_MUTEX_INITIALIZER;
#define TAIL_LOCK (&tail_lock)
#else
#define TAIL_LOCK (&head_lock)
#endif
static atomic_int slots[kSlots];
static atomic_int count;
static int head, tail;

static void add_to_count(int n) {
  int now = atomic_load(&count);
  atomic_store(&count, now + n);
}

static void* enqueue_all(void* arg) {
  (void)arg;
  for (int i = 1; i <= kItems; i++) {
    pthread_mutex_lock(TAIL_LOCK);  // BUG
    atomic_store(&slots[tail], i);
    tail = (tail + 1) % kSlots;
    add_to_count(1);
    pthread_mutex_unlock(TAIL_LOCK);
  }
  return NULL;
}

static void* dequeue_some(void* arg) {
  (void)arg;
  for (int tries = 0, expected = 1; tries < 3; tries++) {
    pthread_mutex_lock(&head_lock);
    if (atomic_load(&count) > 0) {
      assert(atomic_load(&slots[head]) == expected);
      expected++;
      head = (head + 1) % kSlots;
      add_to_count(-1);
    }
    pthread_mutex_unlock(&head_lock);
  }
  return NULL;
}

int main(void) {
  pthread_t p, c;
  pthread_create(&p, NULL, enqueue_all, NULL);
  pthread_create(&c, NULL, dequeue_some, NULL);
  pthread_join(p, NULL);
  pthread_join(c, NULL);
  assert(atomic_load(&count) == tail - head);
  return 0;
}
