// One thread offers the numbers 1..N through a single slot, the other sums them up; the offerer looks
// whether the slot is free before it takes the lock, so a number can be overwritten before it is
// taken and the sum of the progression comes out short.
// Stands for: "arithmetic_prog" of SV-COMP pthread and SCTBench CS.
// Ours differs: two offerers share the progression, which is what makes the early look wrong.
// heddle-kernel: family=arithmetic_prog kind=assert granularity=sync optimum=1 variants=N:2,N:4 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int slot;  // 0 = free
static int next_number = 1, total;
static atomic_int offerers = 2;

static void* offer(void* arg) {
  (void)arg;
  for (;;) {
#ifndef FIXED
    if (atomic_load(&slot) != 0) {
      sched_yield();
      continue;
    }
#endif
    pthread_mutex_lock(&lock);  // BUG
    int over = next_number > N;
#ifdef FIXED
    int free_slot = atomic_load(&slot) == 0;
#else
    int free_slot = 1;
#endif
    if (!over && free_slot) atomic_store(&slot, next_number++);
    pthread_mutex_unlock(&lock);
    if (over) break;
    if (!free_slot) sched_yield();
  }
  atomic_fetch_sub(&offerers, 1);
  return NULL;
}

static void* add(void* arg) {
  (void)arg;
  for (;;) {
    int last_look = atomic_load(&offerers) == 0;
    pthread_mutex_lock(&lock);
    int number = atomic_exchange(&slot, 0);
    pthread_mutex_unlock(&lock);
    total += number;
    if (number == 0) {
      if (last_look) return NULL;
      sched_yield();
    }
  }
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, offer, NULL);
  pthread_create(&b, NULL, offer, NULL);
  pthread_create(&c, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  assert(total == N * (N + 1) / 2);
  return 0;
}
