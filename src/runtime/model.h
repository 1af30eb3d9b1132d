#pragma once
// The only blocking logic: may this thread's pending operation execute now without blocking?
#include "policy/moment.h"
#include "runtime/thread.h"

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
inline Gate gate_of(const Pending& p) {
  if (!has(p.op, kBlocks)) return {&g_open_gate, true};
  if ((p.op == Op::kMutexLock || p.op == Op::kMutexTimedLock) && reinterpret_cast<uintptr_t>(p.address) >= kLowestObject) {
    const auto* mutex = static_cast<const pthread_mutex_t*>(p.address);
    // Neither robust, recursive nor error-checking, no ceiling in the word, and no time-out: taken is taken.
    const int kind = mutex->__data.__kind & (kMutexTypeMask | kRobustBit | kProtectBit);
    const bool plain = kind == PTHREAD_MUTEX_TIMED_NP || kind == PTHREAD_MUTEX_ADAPTIVE_NP;
    return {&mutex->__data.__lock, plain && p.op == Op::kMutexLock};
  }
  if (p.op == Op::kThreadJoin && p.address != nullptr) return {&static_cast<const ThreadSlot*>(p.address)->unfinished, true};
  return {&g_asking_gate, false};
}

// Moves on whenever something may have made a descriptor ready: those who wait for one are not asked again before.
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
