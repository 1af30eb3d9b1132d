#pragma once
// May this thread's pending operation execute now without blocking? The model (model/machine.h) says, of the program's own objects.
#include "model/mutex.h"
#include "model/waits.h"
#include "policy/point_view.h"
#include "runtime/engine/thread.h"

namespace heddle::rt {

Ready ready(const ThreadSlot& thread);

// In a mutex's __kind.
inline constexpr int kMutexTypeMask = 3;
inline constexpr int kRobustBit = 16;
inline constexpr int kInheritBit = 32;  // PTHREAD_PRIO_INHERIT
inline constexpr int kProtectBit = 64;  // PTHREAD_PRIO_PROTECT
inline constexpr uintptr_t kLowestObject = 4096;
extern const volatile int g_open_gate;    // always 0
extern const volatile int g_asking_gate;  // never 0
// The short form of ready(), for the common waits.
inline Gate gate_of(const Pending& p) {
  const model::WaitKind kind = model::waits_for(p.op);
  if (kind == model::WaitKind::kNothing) return {&g_open_gate, true};
  if (kind == model::WaitKind::kMutex && reinterpret_cast<uintptr_t>(p.address) >= kLowestObject) {
    const auto& data = static_cast<const pthread_mutex_t*>(p.address)->__data;
    const int type = data.__kind & kMutexTypeMask;
    const bool reenters = type == PTHREAD_MUTEX_RECURSIVE_NP || type == PTHREAD_MUTEX_ERRORCHECK_NP;
    // A ceiling is in the word even of a free one.
    const bool only_word = (data.__kind & kProtectBit) == 0;
    return {&data.__lock, only_word && model::taken_says_all(reenters, (data.__kind & kRobustBit) != 0, has(p.op, kTimed))};
  }
  if (kind == model::WaitKind::kThread && !has(p.op, kTimed) && p.address != nullptr)
    return {&static_cast<const ThreadSlot*>(p.address)->unfinished, true};
  return {&g_asking_gate, false};
}

// Moves on whenever something may have made a descriptor ready: those who wait for one are not asked again before.
extern uint64_t g_nobody_ready;  // how often no thread could go on
extern uint64_t g_descriptor_news;

// Who holds what this thread's pending operation waits for; nullptr when nobody in particular does.
ThreadSlot* holder(const ThreadSlot& thread);

bool mutex_free_for(const pthread_mutex_t* mutex, const ThreadSlot& thread);
bool mutex_locked(const pthread_mutex_t* mutex);
// Does glibc itself answer EPERM when somebody else unlocks it?
bool mutex_checks_owner(const pthread_mutex_t* mutex);
bool rwlock_readable(const pthread_rwlock_t* lock);
bool rwlock_writable(const pthread_rwlock_t* lock);  // nobody holds it
bool rwlock_written_by(const pthread_rwlock_t* lock, const ThreadSlot& thread);
bool mutex_held_by(const pthread_mutex_t* mutex, const ThreadSlot& thread);

}  // namespace heddle::rt
