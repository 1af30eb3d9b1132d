#pragma once
// What a run tells about the sort of its objects, which no single event says: what the machine would not have let happen, and did.
#include "model/events.h"
#include "model/machine.h"

namespace heddle::model {

// The event is about to be executed in `now`. `first`: the objects as they were before the first event, to be corrected.
inline void learn(ObjectNow* first, EventState* now, const Happening& h) {
  const bool requests = is_lock_request(h.op);
  const uint32_t object = is_reacquire(h.op) ? now->thread(h.thread)->mutex : h.object;
  if ((requests || is_reacquire(h.op)) && object != kNone) {
    const uint32_t owner = now->object(object)->owner;
    const bool got = !requests || !came_to_nothing(h.flags);
    // An error-checking mutex answers its owner at once.
    const bool answered = requests && has(h.op, kBlocks) && (h.flags & kTimedOut) == 0;
    if (owner == h.thread && requests && (got || answered)) first[object].reenters = true;
    if (owner != kNone && owner != h.thread && got && !now->thread(owner)->live) first[object].robust = true;
  }
  if (row(h.op).family == Family::kSemaphores) learn_semaphore(&first[object], now->object(object), h);
  if (h.op == Op::kBarrierArrive && h.value != 0) first[object].size = static_cast<uint32_t>(h.value);
}

// The thread has come to an operation when the run ended.
inline void learn_end(ObjectNow* first, const ObjectNow& now, uint32_t thread, Op op, uint32_t object, bool blocked) {
  if (blocked && op == Op::kSemWait) first[object].exact = true;
  if (!blocked && !has(op, kTimed) && is_lock_request(op) && now.owner == thread) first[object].reenters = true;
}

// Does the machine know all that the operation waits for and all that it changes?
constexpr bool is_known(Op op) {
  switch (row(op).family) {
    case Family::kMutexes:
    case Family::kConditions:
    case Family::kSemaphores:
    case Family::kRwlocks:
    case Family::kBarriers:
    case Family::kOnces:
    case Family::kMemory:
    case Family::kAtomics:
    case Family::kCode: return true;
    case Family::kThreads: return op != Op::kThreadCancel && op != Op::kThreadKill;
    case Family::kTime: return op == Op::kYield;
    case Family::kProcesses: return op == Op::kExit;
    case Family::kFutexes:
    case Family::kSignals:
    case Family::kDescriptors: return false;
  }
  return false;
}

// Does it synchronise by an object that has a state?
constexpr bool has_object(Op op) {
  switch (row(op).family) {
    case Family::kMutexes:
    case Family::kConditions:
    case Family::kSemaphores:
    case Family::kRwlocks:
    case Family::kBarriers:
    case Family::kOnces:
    case Family::kFutexes: return true;
    case Family::kThreads:
    case Family::kTime:
    case Family::kSignals:
    case Family::kDescriptors:
    case Family::kProcesses:
    case Family::kMemory:
    case Family::kAtomics:
    case Family::kCode: return false;
  }
  return false;
}

}  // namespace heddle::model
