#pragma once
// Reader-writer locks. Readers are counted and not named, as in glibc: who asks to write while it reads waits for itself.
#include "model/objects.h"

namespace heddle::model {

struct RwlockFacts {
  bool written;
  bool own;  // the one who asks writes: it is told so at once
  bool read;
};

constexpr Ready read_lock_ready(const RwlockFacts& lock) { return when(!lock.written || lock.own); }
constexpr Ready write_lock_ready(const RwlockFacts& lock) { return when((!lock.written && !lock.read) || lock.own); }

inline void take_rwlock(ObjectNow* lock, uint32_t thread, bool reads) {
  if (reads) {
    ++lock->readers;
  } else {
    lock->owner = thread;
  }
}
inline void give_back_rwlock(ObjectNow* lock) {
  if (lock->owner != kNone) {
    lock->owner = kNone;
  } else if (lock->readers > 0) {
    --lock->readers;
  }
}

constexpr bool is_shared_lock_request(Op op) { return op == Op::kRwReadLock || op == Op::kRwTimedReadLock || op == Op::kRwTryReadLock; }

}  // namespace heddle::model
