#pragma once
// Semaphores: a wait takes one from the value, a post gives one.
#include "model/objects.h"

namespace heddle::model {

struct SemaphoreFacts {
  bool positive;
  bool exact;  // where it is not positive, it is zero
};

constexpr Ready semaphore_ready(const SemaphoreFacts& semaphore) {
  if (semaphore.positive) return Ready::kYes;
  return semaphore.exact ? Ready::kNo : Ready::kUnknown;
}

// An event's value is one more than the semaphore had before it; 0: it does not say. A run that goes another way has its own count.
constexpr uint64_t semaphore_word(uint32_t value) { return uint64_t{value} + 1; }

inline void change_semaphore(ObjectNow* semaphore, int change) { semaphore->count += change; }

// What an event tells about the value that the semaphore had at first. `now`: as the events before it leave it, from `first`.
inline void learn_semaphore(ObjectNow* first, ObjectNow* now, const Happening& h) {
  constexpr uint64_t kMost = 0x7FFFFFFF;  // SEM_VALUE_MAX
  const bool said = h.value != 0 && h.value <= kMost && (h.flags & kChoice) == 0;
  const bool failed = (h.flags & (kFailed | kTimedOut)) != 0;
  int32_t least = now->count;  // that it had before this event
  bool exact = now->exact;
  if (said) {
    least = static_cast<int32_t>(h.value - 1);
    // Made anew since, or changed by another process.
    if (exact && least != now->count) first->doubtful = true;
    exact = true;
  } else if (has(h.op, kAcquires) && !exact) {
    exact = failed;  // it was met at zero
    if (failed && least > 0) first->doubtful = true;
    if (!failed && least < 1) least = 1;
  } else if (has(h.op, kAcquires) && !failed && least < 1) {
    first->doubtful = true;
  }
  if (now->exact || first->doubtful) return;
  first->count += least - now->count;
  first->exact = exact;
  now->count = least;
  now->exact = exact;
}

}  // namespace heddle::model
