#include "runtime/outside/shared_objects.h"

#include <semaphore.h>

#include "model/waits.h"
#include "runtime/base/mappings.h"
#include "runtime/engine/strange_threads.h"
#include "runtime/outside/pids.h"

namespace heddle::rt {

namespace {

bool made_for_processes(const Pending& p) {
  const auto* mutex = static_cast<const pthread_mutex_t*>(p.address);
  switch (model::waits_for(p.op)) {
    case model::WaitKind::kMutex: return (mutex->__data.__kind & kSharedBit) != 0;
    case model::WaitKind::kReacquire: return for_processes(static_cast<const pthread_cond_t*>(p.address));
    // Its value, and then whether its futex is private.
    case model::WaitKind::kSemaphore: return reinterpret_cast<const int*>(p.address)[2] != 0;
    case model::WaitKind::kReadLock:
    case model::WaitKind::kWriteLock: return static_cast<const pthread_rwlock_t*>(p.address)->__data.__shared != 0;
    case model::WaitKind::kSpinlock: return true;
    case model::WaitKind::kBarrier:
    case model::WaitKind::kFutex: return p.second != nullptr;
    case model::WaitKind::kNothing:
    case model::WaitKind::kStream:
    case model::WaitKind::kOnce:
    case model::WaitKind::kGuard:
    case model::WaitKind::kThread:
    case model::WaitKind::kTime:
    case model::WaitKind::kDescriptors:
    case model::WaitKind::kPause:
    case model::WaitKind::kSignal:
    case model::WaitKind::kDelivery:
    case model::WaitKind::kChild: return false;
  }
  return false;
}

}  // namespace

bool for_processes(const pthread_cond_t* c) { return (c->__data.__wrefs & 1) != 0; }

bool others_may_end(const ThreadSlot& t) {
  const Pending& p = t.pending;
  // One that is not under control writes where it likes, and it may be a process that shares all memory.
  if (had_strange_thread() && (live_children() > 0 || has_strange_thread())) return true;
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
  return shared && (named || live_children() > 0 || is_forked());
}

}  // namespace heddle::rt
