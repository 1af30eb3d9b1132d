#include "trace/locks.h"

namespace heddle {

bool is_shared_lock_request(Op op) { return op == Op::kRwReadLock || op == Op::kRwTimedReadLock || op == Op::kRwTryReadLock; }

bool is_lock_request(Op op) {
  const Family family = row(op).family;
  return (family == Family::kMutexes || family == Family::kRwlocks) && has(op, kAcquires);
}

bool is_unlock(Op op) {
  const Family family = row(op).family;
  return (family == Family::kMutexes || family == Family::kRwlocks) && has(op, kReleases);
}

bool takes_lock(const Event& event) { return is_lock_request(event.op) && (event.flags & (kFailed | kTimedOut)) == 0; }

void HeldLocks::release(uint32_t thread, ObjectId object) {
  auto& held = held_[thread];
  for (size_t i = held.size(); i-- > 0;) {
    if (held[i].object != object) continue;
    held.erase(held.begin() + static_cast<ptrdiff_t>(i));
    return;
  }
}

ObjectId HeldLocks::mutex_of(const Event& event) const {
  if (event.op == Op::kCondReacquire || event.op == Op::kCondTimedReacquire) return wait_mutex_[event.thread];
  if (event.op != Op::kCondWait && event.op != Op::kCondTimedWait) return kNoObject;
  const auto& held = held_[event.thread];
  for (const HeldLock& lock : held) {
    if (lock.object == event.value) return lock.object;
  }
  return held.empty() ? kNoObject : held.back().object;
}

void HeldLocks::step(size_t index, const Event& event) {
  const uint32_t t = event.thread;
  if (takes_lock(event)) {
    held_[t].push_back({event.object, index, is_shared_lock_request(event.op)});
  } else if (is_unlock(event.op)) {
    release(t, event.object);
  } else if (event.op == Op::kCondWait || event.op == Op::kCondTimedWait) {
    wait_mutex_[t] = mutex_of(event);
    release(t, wait_mutex_[t]);
  } else if (event.op == Op::kCondReacquire || event.op == Op::kCondTimedReacquire) {
    if (wait_mutex_[t] != kNoObject) held_[t].push_back({wait_mutex_[t], index, false});
    wait_mutex_[t] = kNoObject;
  }
}

}  // namespace heddle
