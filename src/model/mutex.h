#pragma once
// Locks that one thread has at a time: mutexes, spinlocks.
#include "model/objects.h"

namespace heddle::model {

// Of a lock, for the thread that asks.
struct LockFacts {
  bool taken;
  bool own;        // the one who asks has it
  bool reenters;   // its owner gets in again (recursive), or is told at once that it has it already (error-checking)
  bool abandoned;  // its owner has died with it, and the next one is let in and told (robust)
};

constexpr Ready lock_ready(const LockFacts& lock) { return when(!lock.taken || lock.abandoned || (lock.own && lock.reenters)); }
// A spinlock knows nobody: its owner waits for itself.
constexpr Ready spin_ready(bool taken) { return when(!taken); }
// With nothing but `taken` to ask, one word in memory says whether it may be locked.
constexpr bool taken_says_all(bool reenters, bool robust, bool timed) { return !reenters && !robust && !timed; }

inline void take_lock(ObjectNow* lock, uint32_t thread) {
  // Another owner has died with it.
  if (lock->owner != thread) lock->depth = 0;
  lock->owner = thread;
  ++lock->depth;
}
inline void give_back_lock(ObjectNow* lock) {
  if (lock->depth > 0) --lock->depth;
  if (lock->depth == 0) lock->owner = kNone;
}

template <typename State>
void take_mutex(State& s, const Happening& h) {
  take_lock(s.object(h.object), h.thread);
  // One that is cancelled in a condition's wait takes the mutex without having been woken.
  ThreadNow* t = s.thread(h.thread);
  if (t->waits_on != kNone && t->mutex == h.object) t->waits_on = t->mutex = kNone;
}

// Operations that ask for a lock of any kind; a try is one.
constexpr bool is_lock_request(Op op) {
  const Family family = row(op).family;
  return (family == Family::kMutexes || family == Family::kRwlocks) && has(op, kAcquires);
}
constexpr bool is_unlock(Op op) {
  const Family family = row(op).family;
  return (family == Family::kMutexes || family == Family::kRwlocks) && has(op, kReleases);
}
// It did not do what it was asked for: a try that failed, a wait that timed out.
constexpr bool came_to_nothing(uint16_t flags) { return (flags & (kFailed | kTimedOut)) != 0; }

}  // namespace heddle::model
