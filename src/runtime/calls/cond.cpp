// Condition variables: the queue of waiters is ours, the real condition is never waited on. A wait is two operations: release-and-wait,
// and reacquire.
#include <errno.h>
#include <pthread.h>

#include "runtime/base/real.h"
#include "runtime/calls/lock.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/model.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/delivery.h"
#include "runtime/outside/shared_objects.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// glibc keeps the clock chosen by pthread_condattr_setclock in bit 1 of this word.
clockid_t clock_of(const pthread_cond_t* c) { return (c->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME; }

int wait_on(pthread_cond_t* c, pthread_mutex_t* m, bool timed, uint64_t deadline, void* pc) {
  ThreadSlot* me = g_current;
  Pending p{};
  p.op = timed ? Op::kCondTimedWait : Op::kCondWait;
  p.address = c;
  p.second = m;
  p.object = object_of(c);
  p.site = caller_site(pc);
  p.value = object_of(m);
  Event* wait = point(p);
  if (!mutex_held_by(m, *me)) {
    wait->flags |= kFailed;
    if (mutex_checks_owner(m)) return EPERM;
    end_run(OutcomeKind::kMisuse, 0, "wait on a condition variable without holding its mutex");
  }
  // A timed wait that ends early shows the same to the program.
  const bool spurious = !timed && g_run.director.wakes_unasked(me->id, wait->number, g_run.step);
  if (spurious) wait->flags |= kSpurious;
  me->wait.on = c;
  me->wait.ended = spurious;
  me->wait.order = ++g_run.wait_order;
  drop_mutex(m);
  p.op = timed ? Op::kCondTimedReacquire : Op::kCondReacquire;
  p.value = 0;
  p.deadline = deadline;
  p.cancels = true;
  if (spurious) p.flags = kSpurious;
  Event* e = point(p);
  p.flags = 0;
  if (e == nullptr) {
    me->wait.on = nullptr;
    me->cancel.under_way = false;
    p.op = Op::kMutexLock;
    p.address = m;
    p.object = object_of(m);
    p.cancels = false;
    point(p);
    take_mutex(m, p.site);
    be_cancelled();
  }
  const bool timed_out = !me->wait.ended;
  if (timed_out) {
    time_passed();
    e->flags |= kTimedOut | kChoice;
    e->value = kChoiceTimeout;
  }
  me->wait.on = nullptr;
  int error = take_mutex(m, p.site);
  while (error == EBUSY) {
    p.op = Op::kMutexLock;
    p.address = m;
    p.object = object_of(m);
    p.cancels = false;
    point(p);
    error = take_mutex(m, p.site);
  }
  return error == 0 && timed_out ? ETIMEDOUT : error;
}

}  // namespace

HEDDLE_EXPORT int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  if (!active()) return real().pthread_cond_wait(c, m);
  return wait_on(c, m, false, 0, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until) {
  if (!active()) return real().pthread_cond_timedwait(c, m, RealTime(clock_of(c), until));
  if (!valid_nanoseconds(until)) return EINVAL;
  return wait_on(c, m, true, deadline_at(clock_of(c), until), __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* until) {
  if (!active()) return real().pthread_cond_clockwait(c, m, clock, RealTime(clock, until));
  if (!is_wait_clock(clock) || !valid_nanoseconds(until)) return EINVAL;
  return wait_on(c, m, true, deadline_at(clock, until), __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_cond_signal(pthread_cond_t* c) {
  if (!active()) return real().pthread_cond_signal(c);
  wake(c, 1, point(Op::kCondSignal, c, __builtin_return_address(0)));
  after_release(c, __builtin_return_address(0));
  // Those of other processes wait in glibc.
  return for_processes(c) ? real().pthread_cond_signal(c) : 0;
}

HEDDLE_EXPORT int pthread_cond_broadcast(pthread_cond_t* c) {
  if (!active()) return real().pthread_cond_broadcast(c);
  point(Op::kCondBroadcast, c, __builtin_return_address(0));
  wake(c, UINT32_MAX, nullptr);
  after_release(c, __builtin_return_address(0));
  return for_processes(c) ? real().pthread_cond_broadcast(c) : 0;
}

HEDDLE_EXPORT int pthread_cond_destroy(pthread_cond_t* c) {
  if (!active()) return real().pthread_cond_destroy(c);
  point(Op::kCondDestroy, c, __builtin_return_address(0));
  forget_object(c);
  return 0;
}
