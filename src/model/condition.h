#pragma once
// Condition variables. A wait is two operations: one gives the mutex back and queues the thread, the other takes the mutex again once
// somebody has woken it.
#include "model/mutex.h"

namespace heddle::model {

constexpr bool is_condition_wait(Op op) { return op == Op::kCondWait || op == Op::kCondTimedWait; }
constexpr bool is_reacquire(Op op) { return op == Op::kCondReacquire || op == Op::kCondTimedReacquire; }
constexpr bool is_wake(Op op) { return op == Op::kCondSignal || op == Op::kCondBroadcast; }

// `ended`: it was woken, or its time is over; that ends no wait while somebody else has the mutex.
template <typename State, typename Asker>
Ready reacquire_ready(Ready ended, const State& s, const Asker& a) {
  return ended == Ready::kNo || lock_ready(s.wait_mutex(a)) == Ready::kYes ? ended : Ready::kNo;
}

template <typename State>
void start_wait(State& s, const Happening& h) {
  s.enqueue(h.thread, h.object);
  s.thread(h.thread)->mutex = h.mutex;
  // Nobody has to wake it: it may take its mutex as soon as that is free.
  if ((h.flags & kSpurious) != 0) s.thread(h.thread)->woken = true;
  if (h.mutex != kNone) give_back_lock(s.object(h.mutex));
}

template <typename State>
void end_wait(State& s, const Happening& h) {
  ThreadNow* t = s.thread(h.thread);
  if (t->mutex != kNone) take_lock(s.object(t->mutex), h.thread);
  t->waits_on = t->mutex = kNone;
  t->woken = t->unsure = false;
}

}  // namespace heddle::model
