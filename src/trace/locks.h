#pragma once
// Which locks each thread holds while one walks over a trace, and which mutex a condition wait gave back.
#include <cstdint>
#include <vector>

#include "model/mutex.h"
#include "model/rwlock.h"
#include "trace/trace.h"

namespace heddle::trace {

using model::is_lock_request;
using model::is_shared_lock_request;
using model::is_unlock;
// Did this event take (or retake) its object as a lock? Not a failed try, not a request that timed out.
bool takes_lock(const Event& event);

struct HeldLock {
  ObjectId object;
  size_t event;  // that took it
  bool shared;
};

// Fed with the events of a trace in order.
class HeldLocks {
 public:
  explicit HeldLocks(size_t threads) : held_(threads), wait_mutex_(threads, kNoObject) {}
  void step(size_t index, const Event& event);
  const std::vector<HeldLock>& held(uint32_t thread) const { return held_[thread]; }
  // The mutex of the condition wait that the thread is in: what a wait event names as its value or, where it names nothing, the lock
  // that the thread took last. kNoObject outside of a wait.
  ObjectId wait_mutex(uint32_t thread) const { return wait_mutex_[thread]; }
  // The mutex that this event (a wait or a reacquire) gives back or retakes: to be asked before step(event).
  ObjectId mutex_of(const Event& event) const;

 private:
  void release(uint32_t thread, ObjectId object);

  std::vector<std::vector<HeldLock>> held_;
  std::vector<ObjectId> wait_mutex_;
};

}  // namespace heddle::trace
