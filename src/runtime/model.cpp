// glibc's own lock words are the state: the real calls keep them, static initialisers need no registration, and a lock taken where we
// do not look is still seen (docs/decisions).
#include "runtime/model.h"

#include <pthread.h>
#include <semaphore.h>

#include "runtime/delivery.h"
#include "runtime/descriptors.h"
#include "runtime/input_log.h"
#include "runtime/once.h"
#include "runtime/placement.h"
#include "runtime/run.h"
#include "runtime/shared_objects.h"
#include "runtime/stdio_lock.h"

namespace heddle::rt {

uint64_t g_descriptor_news = 1;
const volatile int g_open_gate = 0;
const volatile int g_asking_gate = 1;

namespace {

constexpr int kOwnerDied = 0x40000000;
constexpr int kTidMask = 0x3FFFFFFF;

// The ceiling of a mutex that protects priorities stands in the upper bits of its word, whether it is locked or not.
constexpr int kCeilingMask = static_cast<int>(0xFFF80000);

int lock_word(const pthread_mutex_t* m) {
  const int word = *const_cast<const volatile int*>(&m->__data.__lock);
  return (m->__data.__kind & kProtectBit) != 0 ? word & ~kCeilingMask : word;
}
// The tid that holds it; 0: nobody. Robust ones and those that inherit priority have it in the word, where it stays while the owner's field
// says that the state is inconsistent.
int owner_of(const pthread_mutex_t* m) {
  const int word = lock_word(m);
  if (word == 0) return 0;
  if ((m->__data.__kind & (kRobustBit | kInheritBit)) != 0) return word & kTidMask;
  return *const_cast<const volatile int*>(&m->__data.__owner);
}

Ready timed(bool enabled, const ThreadSlot& t) {
  if (enabled || g_run.clock >= t.pending.deadline) return Ready::kYes;
  return Ready::kTimeout;
}

int sem_value(const void* address) {
  int value = 0;
  sem_getvalue(static_cast<sem_t*>(const_cast<void*>(address)), &value);
  return value;
}

// Locks whose memory does not say who holds them: another thread's record of what it took does.
ThreadSlot* holder_by_record(const ThreadSlot& t) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot& other = g_threads[g_live[i].slot];
    if (held_site(&other, t.pending.address) != kNoSite) return &other;
  }
  return nullptr;
}

HEDDLE_APART uint64_t g_seen_unready[kMaxThreads];  // when each thread's descriptors were last asked in vain

// The kernel is asked only where something can have changed since it was asked before.
bool may_proceed(const ThreadSlot& t, const DescriptorWait& wait) {
  if (wait.outside) return wait_over(t, wait);
  if (&t != g_current && g_seen_unready[t.index] == g_descriptor_news) return false;
  if (descriptors_ready(wait)) return true;
  g_seen_unready[t.index] = g_descriptor_news;
  return false;
}

// Waits whose object is made for several processes (Pending::second): another one may have ended them.
bool passed_outside(const ThreadSlot& t) {
  const auto* barrier = static_cast<const volatile BarrierWords*>(t.pending.second);
  return barrier != nullptr && static_cast<int>(barrier->current - t.arrival) >= 0;
}
bool changed_outside(const Pending& p) {
  const auto* word = static_cast<const volatile uint32_t*>(p.second);
  return word != nullptr && *word != static_cast<uint32_t>(p.value);
}

bool finished(const ThreadSlot* t) {
  return t == nullptr || t->life == Life::kFinished || t->life == Life::kRemoved || t->life == Life::kReaped;
}

}  // namespace

bool mutex_free_for(const pthread_mutex_t* m, const ThreadSlot& t) {
  const int word = lock_word(m);
  if ((m->__data.__kind & kRobustBit) != 0 && (word & kOwnerDied) != 0) return true;
  if (word == 0) return true;
  const int type = m->__data.__kind & kMutexTypeMask;
  // A recursive mutex lets its owner in again; an error-checking one answers EDEADLK at once.
  return (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK) && owner_of(m) == t.tid;
}

bool mutex_locked(const pthread_mutex_t* m) { return lock_word(m) != 0; }
bool mutex_held_by(const pthread_mutex_t* m, const ThreadSlot& t) { return owner_of(m) == t.tid; }
bool mutex_checks_owner(const pthread_mutex_t* m) {
  const int type = m->__data.__kind & kMutexTypeMask;
  return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK || (m->__data.__kind & kRobustBit) != 0;
}

// glibc 2.36: bit 1 of __readers says that a writer holds the lock, bits 3 and up count the readers; nobody ever waits inside glibc.
bool rwlock_readable(const pthread_rwlock_t* l) { return (*const_cast<const volatile unsigned*>(&l->__data.__readers) & 2) == 0; }
bool rwlock_writable(const pthread_rwlock_t* l) {
  return rwlock_readable(l) && (*const_cast<const volatile unsigned*>(&l->__data.__readers) >> 3) == 0;
}
bool rwlock_written_by(const pthread_rwlock_t* l, const ThreadSlot& t) { return !rwlock_readable(l) && l->__data.__cur_writer == t.tid; }

// A lock at an address that no object can have: its thread must crash on it itself, not whoever asks whether it could run.
static bool is_wild(const Pending& p) {
  const Family family = row(p.op).family;
  const bool lock = family == Family::kMutexes || family == Family::kRwlocks || family == Family::kSemaphores;
  return lock && reinterpret_cast<uintptr_t>(p.address) < kLowestObject;
}

Ready ready(const ThreadSlot& t) {
  const Pending& p = t.pending;
  if (!has(p.op, kBlocks) || __builtin_expect(is_wild(p), 0)) return Ready::kYes;
  const auto* mutex = static_cast<const pthread_mutex_t*>(p.address);
  const auto* second = static_cast<const pthread_mutex_t*>(p.second);
  switch (p.op) {
    case Op::kMutexLock: return mutex_free_for(mutex, t) ? Ready::kYes : Ready::kNo;
    case Op::kMutexTimedLock: return timed(mutex_free_for(mutex, t), t);
    case Op::kCondReacquire: return t.signalled && mutex_free_for(second, t) ? Ready::kYes : Ready::kNo;
    case Op::kCondTimedReacquire: return mutex_free_for(second, t) ? timed(t.signalled, t) : Ready::kNo;
    case Op::kSemWait: return sem_value(p.address) > 0 ? Ready::kYes : Ready::kNo;
    case Op::kSemTimedWait: return timed(sem_value(p.address) > 0, t);
    case Op::kThreadJoin: return finished(static_cast<const ThreadSlot*>(p.address)) ? Ready::kYes : Ready::kNo;
    case Op::kThreadTimedJoin: return timed(finished(static_cast<const ThreadSlot*>(p.address)), t);
    case Op::kSleep: return timed(false, t);
    case Op::kRwReadLock:
      return rwlock_readable(static_cast<const pthread_rwlock_t*>(p.address)) ||
                     rwlock_written_by(static_cast<const pthread_rwlock_t*>(p.address), t)
                 ? Ready::kYes
                 : Ready::kNo;
    case Op::kRwWriteLock:
      return rwlock_writable(static_cast<const pthread_rwlock_t*>(p.address)) ||
                     rwlock_written_by(static_cast<const pthread_rwlock_t*>(p.address), t)
                 ? Ready::kYes
                 : Ready::kNo;
    case Op::kRwTimedReadLock: return timed(rwlock_readable(static_cast<const pthread_rwlock_t*>(p.address)), t);
    case Op::kRwTimedWriteLock: return timed(rwlock_writable(static_cast<const pthread_rwlock_t*>(p.address)), t);
    // A free glibc spinlock is 1.
    case Op::kSpinLock: return *static_cast<const volatile int*>(p.address) == 1 ? Ready::kYes : Ready::kNo;
    case Op::kBarrierLeave: return t.signalled || passed_outside(t) ? Ready::kYes : Ready::kNo;
    case Op::kFutexResume: return t.signalled || changed_outside(p) ? Ready::kYes : Ready::kNo;
    case Op::kFutexTimedResume: return timed(t.signalled || changed_outside(p), t);
    case Op::kOnceEnter: return *static_cast<const volatile int*>(p.address) != kOnceBusy ? Ready::kYes : Ready::kNo;
    case Op::kGuardEnter: {
      const auto* bytes = static_cast<const volatile char*>(p.address);
      return bytes[0] != 0 || bytes[1] == 0 ? Ready::kYes : Ready::kNo;
    }
    case Op::kRead:
    case Op::kWrite:
    case Op::kAccept:
    case Op::kConnect:
    case Op::kPoll: {
      // Without a wait it is a try, which never blocks.
      const auto* wait = static_cast<const DescriptorWait*>(p.address);
      return wait == nullptr || may_proceed(t, *wait) ? Ready::kYes : Ready::kNo;
    }
    case Op::kTimedPoll: return timed(may_proceed(t, *static_cast<const DescriptorWait*>(p.address)), t);
    case Op::kWaitChild: {
      const auto* wait = static_cast<const ChildWait*>(p.address);
      return wait == nullptr || child_ready(*wait) ? Ready::kYes : Ready::kNo;
    }
    case Op::kStdioLock: return stream_free_for(static_cast<const FILE*>(p.address), t) ? Ready::kYes : Ready::kNo;
    // Only a handler ends it, and that is an operation of its own.
    case Op::kPause: return Ready::kNo;
    case Op::kSigWait: return has_signal(t, *static_cast<const uint64_t*>(p.address)) ? Ready::kYes : Ready::kNo;
    case Op::kSigTimedWait: return timed(has_signal(t, *static_cast<const uint64_t*>(p.address)), t);
    default: return Ready::kYes;
  }
}

ThreadSlot* holder(const ThreadSlot& t) {
  const Pending& p = t.pending;
  switch (p.op) {
    case Op::kMutexLock: {
      const int owner = owner_of(static_cast<const pthread_mutex_t*>(p.address));
      return owner != 0 ? slot_of_tid(owner) : nullptr;
    }
    case Op::kCondReacquire: {
      if (!t.signalled) return nullptr;
      const int owner = owner_of(static_cast<const pthread_mutex_t*>(p.second));
      return owner != 0 ? slot_of_tid(owner) : nullptr;
    }
    case Op::kRwReadLock:
    case Op::kRwWriteLock: {
      const auto* l = static_cast<const pthread_rwlock_t*>(p.address);
      if (!rwlock_readable(l)) return slot_of_tid(l->__data.__cur_writer);
      return holder_by_record(t);
    }
    case Op::kSpinLock: return holder_by_record(t);
    case Op::kStdioLock: return stream_owner(static_cast<const FILE*>(p.address));
    case Op::kThreadJoin: return static_cast<ThreadSlot*>(const_cast<void*>(p.address));
    default: return nullptr;
  }
}

}  // namespace heddle::rt
