#include "trace/locks.h"

#include "model/condition.h"

namespace heddle::trace {

bool takes_lock(const Event& event) { return is_lock_request(event.op) && !model::came_to_nothing(event.flags); }

void HeldLocks::release(uint32_t thread, ObjectId object) {
  auto& held = held_[thread];
  for (size_t i = held.size(); i-- > 0;) {
    if (held[i].object != object) continue;
    held.erase(held.begin() + static_cast<ptrdiff_t>(i));
    return;
  }
}

ObjectId HeldLocks::mutex_of(const Event& event) const {
  if (model::is_reacquire(event.op)) return wait_mutex_[event.thread];
  if (!model::is_condition_wait(event.op)) return kNoObject;
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
  } else if (model::is_condition_wait(event.op)) {
    wait_mutex_[t] = mutex_of(event);
    release(t, wait_mutex_[t]);
  } else if (model::is_reacquire(event.op)) {
    if (wait_mutex_[t] != kNoObject) held_[t].push_back({wait_mutex_[t], index, false});
    wait_mutex_[t] = kNoObject;
  }
}

}  // namespace heddle::trace
