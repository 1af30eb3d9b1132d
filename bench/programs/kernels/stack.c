// A stack whose pop tests for emptiness in one critical section and takes in another: two poppers
// both see one element and the second underflows.
// Stands for: "stack" of SV-COMP pthread and SCTBench CS.
// Ours differs: one pusher and two poppers.
// heddle-kernel: family=stack kind=assert granularity=sync optimum=2 class=atomicity
#include <assert.h>
#include <pthread.h>
#include <sched.h>

enum { kSize = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int elements[kSize], top;

static void push(int value) {
  pthread_mutex_lock(&lock);
  assert(top < kSize);
  elements[top++] = value;
  pthread_mutex_unlock(&lock);
}

static int try_pop(int* value) {
  pthread_mutex_lock(&lock);
  int empty = top == 0;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);  // BUG
#endif
  if (!empty) {
    assert(top > 0);
    *value = elements[--top];
  }
  pthread_mutex_unlock(&lock);
  return !empty;
}

static void* pusher(void* arg) {
  (void)arg;
  push(1);
  push(2);
  return NULL;
}

static void* popper(void* arg) {
  int* sum = arg;
  int value = 0;
  while (!try_pop(&value)) sched_yield();
  *sum = value;
  return NULL;
}

int main(void) {
  pthread_t p, a, b;
  int got_a = 0, got_b = 0;
  pthread_create(&p, NULL, pusher, NULL);
  pthread_create(&a, NULL, popper, &got_a);
  pthread_create(&b, NULL, popper, &got_b);
  pthread_join(p, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(got_a + got_b == 3);
  return 0;
}
