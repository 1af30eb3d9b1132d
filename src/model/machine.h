#pragma once
// What the operations mean: may a thread go on, and what changes when it does. One family of operations a file; here is only the list.
// The machine asks a state for facts. There are two: in the target glibc's own words and the kernel (runtime/engine/model.h), in the tool what the
// events so far tell (events.h). Both are plain classes, so that in the target a question costs a look at a word.
#include "model/barrier.h"
#include "model/condition.h"
#include "model/descriptor.h"
#include "model/futex.h"
#include "model/mutex.h"
#include "model/once.h"
#include "model/rwlock.h"
#include "model/semaphore.h"
#include "model/thread.h"
#include "model/time.h"
#include "model/waits.h"

namespace heddle::model {

// A wait that may have a deadline.
template <typename State, typename Asker>
inline Ready limited(Ready without, Op op, const State& s, const Asker& a) {
  return has(op, kTimed) ? or_timeout(without, s.due(a)) : without;
}

// May the thread execute `op` now without blocking?
template <typename State, typename Asker>
inline Ready ready(const State& s, Op op, const Asker& a) {
  switch (waits_for(op)) {
    case WaitKind::kNothing: return Ready::kYes;
    case WaitKind::kMutex: return limited(lock_ready(s.mutex(a)), op, s, a);
    case WaitKind::kSpinlock: return spin_ready(s.spin_taken(a));
    case WaitKind::kStream: return s.stream_free(a);
    case WaitKind::kReadLock: return limited(read_lock_ready(s.rwlock(a)), op, s, a);
    case WaitKind::kWriteLock: return limited(write_lock_ready(s.rwlock(a)), op, s, a);
    case WaitKind::kReacquire: return reacquire_ready(limited(s.woken(a), op, s, a), s, a);
    case WaitKind::kSemaphore: return limited(semaphore_ready(s.semaphore(a)), op, s, a);
    case WaitKind::kBarrier: return s.round_complete(a);
    case WaitKind::kOnce: return once_ready(s.runs_once(a));
    case WaitKind::kGuard: return once_ready(s.runs_guarded(a));
    case WaitKind::kFutex: return limited(s.futex_woken(a), op, s, a);
    case WaitKind::kThread: return limited(s.finished(a), op, s, a);
    case WaitKind::kTime: return sleep_ready(s.due(a));
    case WaitKind::kDescriptors: return limited(s.descriptors(a), op, s, a);
    case WaitKind::kPause: return pause_ready();
    case WaitKind::kSignal: return limited(s.signal_arrived(a), op, s, a);
    case WaitKind::kDelivery: return s.delivery_due(a);
    case WaitKind::kChild: return s.child_ended(a);
  }
  return Ready::kYes;
}

// Who has what it waits for; nobody in particular where a time-out ends the wait.
template <typename State, typename Asker>
inline auto holder(const State& s, Op op, const Asker& a) {
  if (has(op, kTimed)) return s.nobody();
  switch (waits_for(op)) {
    case WaitKind::kMutex: return s.mutex_owner(a);
    case WaitKind::kReacquire: return s.woken(a) == Ready::kYes ? s.wait_mutex_owner(a) : s.nobody();
    case WaitKind::kReadLock:
    case WaitKind::kWriteLock: return s.rwlock_holder(a);
    case WaitKind::kSpinlock: return s.spin_holder(a);
    case WaitKind::kStream: return s.stream_holder(a);
    case WaitKind::kThread: return s.joined(a);
    case WaitKind::kNothing:
    case WaitKind::kSemaphore:
    case WaitKind::kBarrier:
    case WaitKind::kOnce:
    case WaitKind::kGuard:
    case WaitKind::kFutex:
    case WaitKind::kTime:
    case WaitKind::kDescriptors:
    case WaitKind::kPause:
    case WaitKind::kSignal:
    case WaitKind::kDelivery:
    case WaitKind::kChild: return s.nobody();
  }
  return s.nobody();
}

// What the event changes, in a state that the tool keeps. In the target the real call changes the program's own objects.
template <typename State>
inline void apply(State& s, const Happening& h) {
  const bool done = !came_to_nothing(h.flags);
  switch (h.op) {
    case Op::kMutexLock:
    case Op::kMutexTimedLock:
    case Op::kMutexTryLock:
    case Op::kSpinLock:
    case Op::kSpinTryLock:
    case Op::kStdioLock:
      if (done) take_mutex(s, h);
      return;
    case Op::kMutexUnlock:
    case Op::kSpinUnlock:
    case Op::kStdioUnlock:
      if (done) give_back_lock(s.object(h.object));
      return;
    case Op::kMutexInit:
    case Op::kMutexDestroy:
    case Op::kRwDestroy:
    case Op::kCondDestroy: return;
    case Op::kRwReadLock:
    case Op::kRwTimedReadLock:
    case Op::kRwTryReadLock:
    case Op::kRwWriteLock:
    case Op::kRwTimedWriteLock:
    case Op::kRwTryWriteLock:
      if (done) take_rwlock(s.object(h.object), h.thread, is_shared_lock_request(h.op));
      return;
    case Op::kRwUnlock: return give_back_rwlock(s.object(h.object));
    case Op::kCondWait:
    case Op::kCondTimedWait:
      if (done) start_wait(s, h);
      return;
    case Op::kCondReacquire:
    case Op::kCondTimedReacquire: return end_wait(s, h);
    case Op::kCondSignal: return s.wake(h.object, 1, h.peer);
    case Op::kCondBroadcast: return s.wake(h.object, kEverybody, kNone);
    case Op::kSemWait:
    case Op::kSemTimedWait:
    case Op::kSemTryWait:
      if (done) change_semaphore(s.object(h.object), -1);
      return;
    case Op::kSemPost: return change_semaphore(s.object(h.object), 1);
    case Op::kBarrierArrive: return arrive(s, h);
    case Op::kBarrierLeave: return leave(s, h);
    case Op::kOnceEnter:
    case Op::kGuardEnter: return enter_once(s, h);
    case Op::kOnceLeave:
    case Op::kGuardLeave: return leave_once(s, h);
    case Op::kFutexWait:
      if (done) queue_on_futex(s, h);
      return;
    case Op::kFutexResume:
    case Op::kFutexTimedResume: return resume(s, h);
    case Op::kFutexWake: return wake_futex(s, h);
    case Op::kFutexRequeue: return s.doubt_queues();
    case Op::kThreadCreate:
      if (done) create(s, h);
      return;
    case Op::kThreadExit: return end(s, h);
    case Op::kFork:
      if ((h.flags & kShared) != 0) s.doubt_queues();
      return;
    case Op::kNone:
    case Op::kThreadStart:
    case Op::kThreadJoin:
    case Op::kThreadTimedJoin:
    case Op::kThreadTryJoin:
    case Op::kThreadDetach:
    case Op::kThreadCancel:
    case Op::kThreadKill:
    case Op::kYield:
    case Op::kSleep:
    case Op::kPause:
    case Op::kSigWait:
    case Op::kSigTimedWait:
    case Op::kSignalDeliver:
    case Op::kSignalSend:
    case Op::kRead:
    case Op::kWrite:
    case Op::kAccept:
    case Op::kConnect:
    case Op::kPoll:
    case Op::kTimedPoll:
    case Op::kClose:
    case Op::kExec:
    case Op::kWaitChild:
    case Op::kExit:
    case Op::kLoad:
    case Op::kStore:
    case Op::kLoadStore:
    case Op::kAtomicLoad:
    case Op::kAtomicStore:
    case Op::kAtomicRmw:
    case Op::kAtomicCas:
    case Op::kFence:
    case Op::kAllocate:
    case Op::kFree:
    case Op::kFunctionEntry:
    case Op::kReleased:
    case Op::kLoopIteration: return;
  }
}

}  // namespace heddle::model
