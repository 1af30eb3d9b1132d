// Mutexes. The point decides who gets in; the real try-lock then keeps glibc's own state.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

#include "runtime/check.h"
#include "runtime/clock.h"
#include "runtime/lock.h"
#include "runtime/model.h"
#include "runtime/names.h"
#include "runtime/real.h"
#include "runtime/scheduler.h"

namespace heddle::rt {

namespace {

constexpr int kTypeMask = 3;
// A try that fails this often in a row at the same place is a spin loop.
constexpr uint32_t kSpinTries = 3;

bool self_deadlock_checked(const pthread_mutex_t* m) {
  return (m->__data.__kind & kTypeMask) == PTHREAD_MUTEX_ERRORCHECK && mutex_held_by(m, *g_current);
}

}  // namespace

int take_mutex(pthread_mutex_t* m, SiteId site) {
  if (self_deadlock_checked(m)) return EDEADLK;
  const int error = real().pthread_mutex_trylock(m);
  HEDDLE_CHECK(error != EBUSY);
  if (error == 0 || error == EOWNERDEAD) note_held(g_current, m, site);
  return error;
}

int drop_mutex(pthread_mutex_t* m) {
  note_released(g_current, m);
  return real().pthread_mutex_unlock(m);
}

void orphan_mutexes(const ThreadSlot& thread) {
  constexpr uint32_t kMost = 1 << 20;  // as the kernel: a list that the program has spoilt may have no end
  if (real().robust_offset == 0) return;
  auto* head = reinterpret_cast<robust_list_head*>(thread.fs_base + real().robust_offset);
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

void mark_try(Event* event, bool fails) {
  ThreadSlot* me = g_current;
  if (!fails) {
    me->failed_tries = 0;
    return;
  }
  me->failed_tries = me->last_failed_site == event->site ? me->failed_tries + 1 : 1;
  me->last_failed_site = event->site;
  event->flags |= kFailed;
  no_progress();
  if (me->failed_tries >= kSpinTries) {
    event->flags |= kSpin;
    me->gave_way = true;
  }
}

}  // namespace heddle::rt

using namespace heddle;
using namespace heddle::rt;

namespace {

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
  if (mutex_free_for(m, *g_current)) return take_mutex(m, p.site);
  if (!valid) {
    event->flags |= kFailed;
    return EINVAL;
  }
  event->flags |= kTimedOut | kChoice;
  event->value = kChoiceTimeout;
  return ETIMEDOUT;
}

}  // namespace

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) {
  if (!active()) return real().pthread_mutex_lock(m);
  const Event* e = point(Op::kMutexLock, m, __builtin_return_address(0));
  return take_mutex(m, e->site);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) {
  if (!active()) return real().pthread_mutex_trylock(m);
  Event* e = point(Op::kMutexTryLock, m, __builtin_return_address(0));
  const bool fails = !mutex_free_for(m, *g_current) || self_deadlock_checked(m);
  mark_try(e, fails);
  if (fails) return EBUSY;
  return take_mutex(m, e->site);
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
  point(Op::kMutexUnlock, m, __builtin_return_address(0));
  const int type = m->__data.__kind & 3;
  if (!mutex_held_by(m, *g_current) && (type == PTHREAD_MUTEX_NORMAL || type == PTHREAD_MUTEX_ADAPTIVE_NP)) {
    end_run(OutcomeKind::kMisuse, 0,
            m->__data.__lock == 0 ? "unlock of a mutex that is not locked" : "unlock of a mutex held by another thread");
  }
  return drop_mutex(m);
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* m) {
  if (!active()) return real().pthread_mutex_destroy(m);
  point(Op::kMutexDestroy, m, __builtin_return_address(0));
  if (m->__data.__lock != 0) end_run(OutcomeKind::kMisuse, 0, "destruction of a mutex that is held");
  forget_object(m);
  return real().pthread_mutex_destroy(m);
}
