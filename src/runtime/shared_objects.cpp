#include "runtime/shared_objects.h"

#include <semaphore.h>

#include "runtime/mappings.h"
#include "runtime/pids.h"

namespace heddle::rt {

namespace {

bool made_for_processes(const Pending& p) {
  const auto* mutex = static_cast<const pthread_mutex_t*>(p.address);
  switch (p.op) {
    case Op::kMutexLock:
    case Op::kMutexTimedLock: return (mutex->__data.__kind & kSharedBit) != 0;
    case Op::kCondReacquire:
    case Op::kCondTimedReacquire: return for_processes(static_cast<const pthread_cond_t*>(p.address));
    // Its value, and then whether its futex is private.
    case Op::kSemWait:
    case Op::kSemTimedWait: return reinterpret_cast<const int*>(p.address)[2] != 0;
    case Op::kRwReadLock:
    case Op::kRwWriteLock:
    case Op::kRwTimedReadLock:
    case Op::kRwTimedWriteLock: return static_cast<const pthread_rwlock_t*>(p.address)->__data.__shared != 0;
    case Op::kSpinLock: return true;
    case Op::kBarrierLeave:
    case Op::kFutexResume:
    case Op::kFutexTimedResume: return p.second != nullptr;
    default: return false;
  }
}

}  // namespace

bool for_processes(const pthread_cond_t* c) { return (c->__data.__wrefs & 1) != 0; }

bool others_may_end(const ThreadSlot& t) {
  const Pending& p = t.pending;
  const auto at = reinterpret_cast<uintptr_t>(p.address);
  if (at < 4096 || !made_for_processes(p)) return false;
  bool shared = false;
  bool named = false;
  char text[8192];
  for_each_mapping(text, [&](const Mapping& m) {
    if (at < m.low || at >= m.high || m.is_private()) return;
    shared = true;
    named = strstr(m.rest, "/dev/zero") == nullptr;
  });
  return shared && (named || live_children() > 0);
}

}  // namespace heddle::rt
