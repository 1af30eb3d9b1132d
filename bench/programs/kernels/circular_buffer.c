// A circular buffer whose sender checks for room in one critical section and stores in another; with
// two senders the buffer overflows and an element that was never received is overwritten.
// Stands for: "circular_buffer" of SV-COMP pthread and SCTBench CS.
// Ours differs: two senders and a receiver; order within a sender is what the receiver checks.
// heddle-kernel: family=circular_buffer kind=assert granularity=sync optimum=1 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { kSlots = 2, kPerSender = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int slots[kSlots];
static int first, count;

static int try_send(int value) {
  pthread_mutex_lock(&lock);
  int room = count < kSlots;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);  // BUG
#endif
  if (room) {
    slots[(first + count) % kSlots] = value;
    count++;
  }
  assert(count <= kSlots);
  pthread_mutex_unlock(&lock);
  return room;
}

static void* sender(void* arg) {
  int base = *(int*)arg;
  for (int i = 0; i < kPerSender; i++)
    while (!try_send(base + i)) sched_yield();
  return NULL;
}

static void* receiver(void* arg) {
  (void)arg;
  int last[2] = {-1, -1};
  for (int got = 0; got < 2 * kPerSender;) {
    pthread_mutex_lock(&lock);
    int any = count > 0, value = slots[first];
    if (any) {
      first = (first + 1) % kSlots;
      count--;
    }
    pthread_mutex_unlock(&lock);
    if (!any) {
      sched_yield();
      continue;
    }
    assert(value % 100 == last[value / 100] + 1);
    last[value / 100] = value % 100;
    got++;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b, r;
  int base_a = 0, base_b = 100;
  pthread_create(&a, NULL, sender, &base_a);
  pthread_create(&b, NULL, sender, &base_b);
  pthread_create(&r, NULL, receiver, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(r, NULL);
  return 0;
}
