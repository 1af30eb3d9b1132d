/* A lock of the program's own, made of an atomic and annotated. */
#ifndef OWN_LOCK_H
#define OWN_LOCK_H
#include "two.h"

enum { kTry = 1 << 4, kTryFailed = 1 << 5 };
void __tsan_mutex_pre_lock(void*, unsigned);
void __tsan_mutex_post_lock(void*, unsigned, int);
int __tsan_mutex_pre_unlock(void*, unsigned);
void __tsan_mutex_post_unlock(void*, unsigned);

static int own_lock;

static int own_try(void) {
  __tsan_mutex_pre_lock(&own_lock, kTry);
  int taken = __atomic_exchange_n(&own_lock, 1, __ATOMIC_SEQ_CST);
  __tsan_mutex_post_lock(&own_lock, taken ? kTry | kTryFailed : kTry, 0);
  return !taken;
}
static inline void own_take(void) {
  while (!own_try()) sched_yield();
}
static inline void own_give(void) {
  __tsan_mutex_pre_unlock(&own_lock, 0);
  __atomic_store_n(&own_lock, 0, __ATOMIC_SEQ_CST);
  __tsan_mutex_post_unlock(&own_lock, 0);
}
#endif
