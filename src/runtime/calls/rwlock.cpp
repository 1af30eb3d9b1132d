// Reader-writer locks, spinlocks and barriers.
#include <errno.h>
#include <pthread.h>

#include "model/rwlock.h"
#include "runtime/base/check.h"
#include "runtime/base/real.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/model.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

using LockFunction = int (*)(pthread_rwlock_t*);

// The real try cannot fail: the model let us in and nobody else runs.
int take(pthread_rwlock_t* l, LockFunction try_real, SiteId site) {
  const int error = try_real(l);
  HEDDLE_CHECK(error != EBUSY);
  if (error == 0) note_held(g_current, l, site);
  return error;
}

int timed(pthread_rwlock_t* l, Op op, LockFunction try_real, clockid_t clock, const timespec* until, void* pc) {
  if (!is_wait_clock(clock) || !valid_nanoseconds(until)) return EINVAL;
  Pending p{};
  p.op = op;
  p.address = l;
  p.object = object_of(l);
  p.site = caller_site(pc);
  // Who writes already is told so at once.
  const bool written = rwlock_written_by(l, *g_current);
  p.deadline = written ? 0 : deadline_at(clock, until);
  Event* e = point(p);
  if (written) {
    e->flags |= kFailed;
    return EDEADLK;
  }
  const bool free = model::is_shared_lock_request(op) ? rwlock_readable(l) : rwlock_writable(l);
  if (free) return take(l, try_real, p.site);
  e->flags |= kTimedOut | kChoice;
  e->value = kChoiceTimeout;
  return ETIMEDOUT;
}

bool held_by_another(const pthread_rwlock_t* l) {
  for (uint32_t i = 0; i < g_live_count; ++i) {
    const ThreadSlot& t = g_threads[g_live[i].slot];
    if (&t != g_current && held_site(&t, l) != kNoSite) return true;
  }
  return false;
}

int attempt(pthread_rwlock_t* l, Op op, LockFunction try_real, void* pc) {
  Event* e = point(op, l, pc);
  const int error = try_real(l);
  mark_try(e, error != 0);
  if (error == 0) note_held(g_current, l, e->site);
  return error;
}

}  // namespace

HEDDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) {
  if (!active()) return real().pthread_rwlock_rdlock(l);
  Event* e = point(Op::kRwReadLock, l, __builtin_return_address(0));
  if (rwlock_written_by(l, *g_current)) {
    e->flags |= kFailed;
    return EDEADLK;
  }
  return take(l, real().pthread_rwlock_tryrdlock, e->site);
}

HEDDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) {
  if (!active()) return real().pthread_rwlock_wrlock(l);
  Event* e = point(Op::kRwWriteLock, l, __builtin_return_address(0));
  if (rwlock_written_by(l, *g_current)) {
    e->flags |= kFailed;
    return EDEADLK;
  }
  return take(l, real().pthread_rwlock_trywrlock, e->site);
}

HEDDLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) {
  if (!active()) return real().pthread_rwlock_tryrdlock(l);
  return attempt(l, Op::kRwTryReadLock, real().pthread_rwlock_tryrdlock, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* l) {
  if (!active()) return real().pthread_rwlock_trywrlock(l);
  return attempt(l, Op::kRwTryWriteLock, real().pthread_rwlock_trywrlock, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* until) {
  if (!active()) return real().pthread_rwlock_timedrdlock(l, RealTime(CLOCK_REALTIME, until));
  return timed(l, Op::kRwTimedReadLock, real().pthread_rwlock_tryrdlock, CLOCK_REALTIME, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* until) {
  if (!active()) return real().pthread_rwlock_timedwrlock(l, RealTime(CLOCK_REALTIME, until));
  return timed(l, Op::kRwTimedWriteLock, real().pthread_rwlock_trywrlock, CLOCK_REALTIME, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t clock, const timespec* until) {
  if (!active()) return real().pthread_rwlock_clockrdlock(l, clock, RealTime(clock, until));
  return timed(l, Op::kRwTimedReadLock, real().pthread_rwlock_tryrdlock, clock, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t clock, const timespec* until) {
  if (!active()) return real().pthread_rwlock_clockwrlock(l, clock, RealTime(clock, until));
  return timed(l, Op::kRwTimedWriteLock, real().pthread_rwlock_trywrlock, clock, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* l) {
  if (!active()) return real().pthread_rwlock_unlock(l);
  point(Op::kRwUnlock, l, __builtin_return_address(0));
  if (rwlock_writable(l)) end_run(OutcomeKind::kMisuse, 0, "unlock of a reader-writer lock that is not locked");
  note_released(g_current, l);
  const int error = real().pthread_rwlock_unlock(l);
  after_release(l, __builtin_return_address(0));
  return error;
}

HEDDLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* l) {
  if (!active()) return real().pthread_rwlock_destroy(l);
  point(Op::kRwDestroy, l, __builtin_return_address(0));
  if (!rwlock_writable(l) && held_by_another(l)) end_run(OutcomeKind::kMisuse, 0, "destruction of a reader-writer lock that is held");
  // One's own hold ends with the lock: glibc allows it.
  while (held_site(g_current, l) != kNoSite) note_released(g_current, l);
  forget_object(l);
  return real().pthread_rwlock_destroy(l);
}

HEDDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* l) {
  if (!active()) return real().pthread_spin_lock(l);
  const Event* e = point(Op::kSpinLock, const_cast<int*>(l), __builtin_return_address(0));
  note_held(g_current, const_cast<int*>(l), e->site);
  return real().pthread_spin_trylock(l);
}

HEDDLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* l) {
  if (!active()) return real().pthread_spin_trylock(l);
  Event* e = point(Op::kSpinTryLock, const_cast<int*>(l), __builtin_return_address(0));
  const int error = real().pthread_spin_trylock(l);
  mark_try(e, error != 0);
  if (error == 0) note_held(g_current, const_cast<int*>(l), e->site);
  return error;
}

HEDDLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* l) {
  if (!active()) return real().pthread_spin_unlock(l);
  point(Op::kSpinUnlock, const_cast<int*>(l), __builtin_return_address(0));
  note_released(g_current, const_cast<int*>(l));
  return real().pthread_spin_unlock(l);
}
