// Lamport's bakery without the `choosing` flags: a customer between reading the highest number and
// taking its own is overlooked, and two are served at once.
// Stands for: "lamport" of SV-COMP pthread, here the bakery with the part left out that is easiest to forget.
// Ours differs: two customers; sequentially consistent atomics; waiting yields.
// heddle-kernel: family=lamport kind=assert granularity=access optimum=2 class=order
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int number[2], choosing[2], inside;

static void* customer(void* arg) {
  int me = *(int*)arg, other = 1 - me;
#ifdef FIXED
  atomic_store(&choosing[me], 1);
#endif
  int highest = atomic_load(&number[other]);
  atomic_store(&number[me], highest + 1);  // BUG
#ifdef FIXED
  atomic_store(&choosing[me], 0);
#endif
  while (atomic_load(&choosing[other])) sched_yield();
  for (;;) {
    int theirs = atomic_load(&number[other]);
    int mine = atomic_load(&number[me]);
    if (theirs == 0 || theirs > mine || (theirs == mine && other > me)) break;
    sched_yield();
  }
  int others = atomic_fetch_add(&inside, 1);
  assert(others == 0);
  atomic_fetch_sub(&inside, 1);
  atomic_store(&number[me], 0);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  int id[2] = {0, 1};
  pthread_create(&a, NULL, customer, &id[0]);
  pthread_create(&b, NULL, customer, &id[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
