// Mutexes. The point decides who gets in; the real try-lock then keeps glibc's own state.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

#include "runtime/base/check.h"
#include "runtime/base/real.h"
#include "runtime/base/real_io.h"
#include "runtime/base/sys.h"
#include "runtime/calls/lock.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/model.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/memory/races.h"
#include "runtime/outside/external_wait.h"
#include "runtime/outside/pids.h"
#include "runtime/outside/shared_objects.h"

namespace heddle::rt {

namespace {

int type_of(const pthread_mutex_t* m) { return m->__data.__kind & kMutexTypeMask; }
bool protects(const pthread_mutex_t* m) { return (m->__data.__kind & kProtectBit) != 0; }

// Mutexes with a ceiling. glibc would change the kernel's priority of its thread, which carries all the others here too, and in a forked
// copy is another process's. The schedule is ours and the priority changes nothing: only the answers and the words stay.
constexpr int kCeilingShift = 19;

int try_protected(pthread_mutex_t* m) {
  auto& data = m->__data;
  if (mutex_held_by(m, *g_current)) {
    if (type_of(m) == PTHREAD_MUTEX_RECURSIVE) {
      ++data.__count;
      return 0;
    }
    return type_of(m) == PTHREAD_MUTEX_ERRORCHECK ? EDEADLK : EBUSY;
  }
  if (mutex_locked(m)) return EBUSY;
  int policy = 0;
  sched_param now{};
  const int error = pthread_getschedparam(pthread_self(), &policy, &now);
  if (error != 0) return error;
  // Without a real-time policy no priority can be raised, and one above the ceiling may not have it.
  const auto ceiling = static_cast<int>(static_cast<unsigned>(data.__lock) >> kCeilingShift);
  if ((policy != SCHED_FIFO && policy != SCHED_RR) || now.sched_priority > ceiling) return EINVAL;
  data.__lock |= 1;
  data.__owner = g_current->tid;
  data.__count = 1;
  ++data.__nusers;
  return 0;
}

int unlock_protected(pthread_mutex_t* m) {
  auto& data = m->__data;
  if (!mutex_held_by(m, *g_current)) return EPERM;
  if (type_of(m) == PTHREAD_MUTEX_RECURSIVE && --data.__count != 0) return 0;
  data.__owner = 0;
  --data.__nusers;
  const bool waiters = (data.__lock & 2) != 0;
  data.__lock = static_cast<int>(static_cast<unsigned>(data.__lock) >> kCeilingShift << kCeilingShift);
  // Of another process: ours do not wait in the kernel.
  if (waiters) sys(SYS_futex, &data.__lock, FUTEX_WAKE, 1);
  return 0;
}

// The real try. Where a mutex inherits priority and its owner has died, the kernel hands it over, to the thread that it sees: glibc's
// number for the thread belongs there, which may be another. One that is lost stays locked by glibc's try, not by its lock.
int try_really(pthread_mutex_t* m) {
  if (protects(m)) return try_protected(m);
  const int error = real().pthread_mutex_trylock(m);
  if (error == ENOTRECOVERABLE) m->__data.__lock = 0;
  if (error == EOWNERDEAD && (m->__data.__kind & kInheritBit) != 0)
    m->__data.__lock = (m->__data.__lock & ~FUTEX_TID_MASK) | g_current->tid;
  return error;
}

// The owner waits for this mutex itself, for ever: whoever unlocks it takes nothing from it. Undefined by POSIX, done by programs that test for
// a relock, and what glibc makes of it is plain.
ThreadSlot* self_locked(const pthread_mutex_t* m) {
  if ((m->__data.__kind & (kInheritBit | kProtectBit)) != 0) return nullptr;
  for (uint32_t i = 0; i < g_live_count; ++i) {
    ThreadSlot& t = g_threads[g_live[i].slot];
    const bool wants = (t.pending.op == Op::kMutexLock || t.pending.op == Op::kMutexTimedLock) && t.pending.address == m;
    if (wants && &t != g_current && mutex_held_by(m, t)) return &t;
  }
  return nullptr;
}

// The living thread that holds the mutex.
const ThreadSlot* mutex_owner(const pthread_mutex_t* m) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    if (mutex_held_by(m, t)) return &t;
  }
  return nullptr;
}

// By a thread of another process: who unlocks it for that one does what glibc allows (its own tests do so after fork). What a thread held when it forked
// its copy in the child holds, under the number of the parent's: handlers of fork unlock that.
bool held_elsewhere(const pthread_mutex_t* m) {
  const bool by_others = (m->__data.__kind & kSharedBit) != 0 || is_forked();
  return by_others && mutex_locked(m) && mutex_owner(m) == nullptr;
}

}  // namespace

int take_mutex(pthread_mutex_t* m, SiteId site) {
  if (type_of(m) == PTHREAD_MUTEX_ERRORCHECK && mutex_held_by(m, *g_current)) return EDEADLK;
  const int error = try_really(m);
  // Only another process can have been quicker.
  HEDDLE_CHECK(error != EBUSY || (m->__data.__kind & kSharedBit) != 0);
  if (error == 0 || error == EOWNERDEAD) note_held(g_current, m, site);
  return error;
}

int drop_mutex(pthread_mutex_t* m) {
  const int error = protects(m) ? unlock_protected(m) : real().pthread_mutex_unlock(m);
  if (error == 0) note_released(g_current, m);
  return error;
}

void orphan_mutexes(const ThreadSlot& thread) {
  constexpr uint32_t kMost = 1 << 20;  // as the kernel: a list that the program has spoilt may have no end
  if (real().robust_offset == 0) return;
  auto* head = reinterpret_cast<robust_list_head*>(thread.carrier.fs_base + real().robust_offset);
  robust_list* entry = head->list.next;
  for (uint32_t i = 0; i < kMost && entry != nullptr && entry != &head->list; ++i) {
    // The lowest bit says that the mutex inherits priority.
    entry = reinterpret_cast<robust_list*>(reinterpret_cast<uintptr_t>(entry) & ~uintptr_t{1});
    auto* word = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(entry) + head->futex_offset);
    if ((*word & FUTEX_TID_MASK) == static_cast<uint32_t>(thread.tid)) *word = (*word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    entry = entry->next;
  }
  head->list.next = &head->list;
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

namespace {

// A lock or an unlock that answers with an error has changed nothing.
int with_failure_flag(Event* event, int error) {
  if (error != 0 && error != EOWNERDEAD) event->flags |= kFailed;
  return error;
}

int timed_lock(pthread_mutex_t* m, clockid_t clock, const timespec* until, void* pc) {
  if (!is_wait_clock(clock)) return EINVAL;
  Pending p{};
  p.op = Op::kMutexTimedLock;
  p.address = m;
  p.object = object_of(m);
  p.site = caller_site(pc);
  p.deadline = deadline_at(clock, until);
  // glibc looks at the time only where it has to wait: an impossible one is over at once.
  const bool valid = valid_nanoseconds(until);
  if (!valid) p.deadline = 0;
  Event* event = point(p);
  if (mutex_free_for(m, *g_current)) return with_failure_flag(event, take_mutex(m, p.site));
  if (!valid) {
    event->flags |= kFailed;
    return EINVAL;
  }
  event->flags |= kTimedOut | kChoice;
  event->value = kChoiceTimeout;
  return ETIMEDOUT;
}

// glibc marks a destroyed mutex. Told only where somebody asks for such mistakes: the lock answers EINVAL, and a program may live with it.
void refuse_destroyed(const pthread_mutex_t* m) {
  if (detecting() && m->__data.__kind == -1) end_run(OutcomeKind::kMisuse, 0, "lock of a mutex that was destroyed");
}

}  // namespace

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) {
  if (!active()) return real().pthread_mutex_lock(m);
  refuse_destroyed(m);
  if (__builtin_expect(reinterpret_cast<uintptr_t>(m) >= kLowestObject && (m->__data.__kind & kSharedBit) != 0, 0)) {
    Pending p{};
    p.op = Op::kMutexLock;
    p.address = m;
    be_patient(p);
  }
  for (;;) {
    Event* e = point(Op::kMutexLock, m, __builtin_return_address(0));
    const int error = take_mutex(m, e->site);
    with_failure_flag(e, error);
    if (error != EBUSY) return error;
  }
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) {
  if (!active()) return real().pthread_mutex_trylock(m);
  Event* e = point(Op::kMutexTryLock, m, __builtin_return_address(0));
  const int error = try_really(m);
  mark_try(e, error != 0 && error != EOWNERDEAD);
  if (error == 0 || error == EOWNERDEAD) note_held(g_current, m, e->site);
  return error;
}

HEDDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) {
  if (!active()) return real().pthread_mutex_timedlock(m, RealTime(CLOCK_REALTIME, until));
  return timed_lock(m, CLOCK_REALTIME, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* until) {
  if (!active()) return real().pthread_mutex_clocklock(m, clock, RealTime(clock, until));
  return timed_lock(m, clock, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) {
  if (!active()) return real().pthread_mutex_unlock(m);
  Event* e = point(Op::kMutexUnlock, m, __builtin_return_address(0));
  if (!mutex_held_by(m, *g_current) && !mutex_checks_owner(m)) {
    ThreadSlot* owner = self_locked(m);
    if (owner == nullptr && !held_elsewhere(m)) {
      end_run(OutcomeKind::kMisuse, 0,
              mutex_locked(m) ? "unlock of a mutex held by another thread" : "unlock of a mutex that is not locked");
    }
    if (owner == nullptr && (m->__data.__kind & kSharedBit) == 0) owner = g_current;  // before the fork
    if (owner != nullptr) note_released(owner, m);
    const int error = real().pthread_mutex_unlock(m);
    after_release(m, __builtin_return_address(0));
    return error;
  }
  const int error = with_failure_flag(e, drop_mutex(m));
  after_release(m, __builtin_return_address(0));
  return error;
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) {
  if (!active()) return real().pthread_mutex_destroy(m);
  point(Op::kMutexDestroy, m, __builtin_return_address(0));
  const ThreadSlot* owner = mutex_locked(m) ? mutex_owner(m) : nullptr;
  if (owner != nullptr && owner != g_current) end_run(OutcomeKind::kMisuse, 0, "destruction of a mutex that is held");
  // One's own, and that of a thread or a process which has ended: glibc answers EBUSY, or lets go of a robust one.
  const int error = real().pthread_mutex_destroy(m);
  if (error != 0) return error;
  if (owner != nullptr) note_released(g_current, m);
  forget_object(m);
  return 0;
}

// glibc locks the mutex for it, if the thread does not hold it already.
HEDDLE_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t* m, int ceiling, int* old) noexcept {
  static decltype(&::pthread_mutex_setprioceiling) library;
  if (library == nullptr) library = next_symbol<decltype(&::pthread_mutex_setprioceiling)>("pthread_mutex_setprioceiling");
  if (!active() || !protects(m) || mutex_held_by(m, *g_current)) return library(m, ceiling, old);
  void* pc = __builtin_return_address(0);
  point(Op::kMutexLock, m, pc);
  const int error = library(m, ceiling, old);
  point(Op::kMutexUnlock, m, pc);
  return error;
}
