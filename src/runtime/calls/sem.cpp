// Semaphores: glibc's own value is the state.
#include <errno.h>
#include <semaphore.h>

#include "model/semaphore.h"
#include "runtime/base/real.h"
#include "runtime/engine/clock.h"
#include "runtime/engine/names.h"
#include "runtime/engine/scheduler.h"
#include "runtime/outside/external_wait.h"

using namespace heddle;
using namespace heddle::rt;

namespace {

// The event says what the semaphore had before it.
void note_value(Event* e, sem_t* s) {
  int value = 0;
  sem_getvalue(s, &value);
  e->value = model::semaphore_word(static_cast<uint32_t>(value));
}

int timed_wait(sem_t* s, clockid_t clock, const timespec* until, void* pc) {
  if (!is_wait_clock(clock) || !valid_nanoseconds(until)) {
    errno = EINVAL;
    return -1;
  }
  Pending p{};
  p.op = Op::kSemTimedWait;
  p.address = s;
  p.object = object_of(s);
  p.site = caller_site(pc);
  p.deadline = deadline_at(clock, until);
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  Event* e = point(p);
  if (e == nullptr) {
    errno = EINTR;
    return -1;
  }
  note_value(e, s);
  if (real().sem_trywait(s) == 0) return 0;
  e->flags |= kTimedOut | kChoice;
  e->value = kChoiceTimeout;
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace

HEDDLE_EXPORT int sem_wait(sem_t* s) {
  if (!active()) return real().sem_wait(s);
  Pending p{};
  p.op = Op::kSemWait;
  p.address = s;
  p.object = object_of(s);
  p.site = caller_site(__builtin_return_address(0));
  p.interrupt = Interrupt::kUnlessRestart;
  p.cancels = true;
  be_patient(p);
  for (;;) {
    Event* e = point(p);
    if (e == nullptr) {
      errno = EINTR;
      return -1;
    }
    note_value(e, s);
    if (real().sem_trywait(s) == 0) return 0;
    // Another process was quicker.
    e->flags |= kFailed;
  }
}

HEDDLE_EXPORT int sem_timedwait(sem_t* s, const timespec* until) {
  if (!active()) return real().sem_timedwait(s, RealTime(CLOCK_REALTIME, until));
  return timed_wait(s, CLOCK_REALTIME, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int sem_clockwait(sem_t* s, clockid_t clock, const timespec* until) {
  if (!active()) return real().sem_clockwait(s, clock, RealTime(clock, until));
  return timed_wait(s, clock, until, __builtin_return_address(0));
}

HEDDLE_EXPORT int sem_trywait(sem_t* s) {
  if (!active()) return real().sem_trywait(s);
  Event* e = point(Op::kSemTryWait, s, __builtin_return_address(0));
  note_value(e, s);
  const int result = real().sem_trywait(s);
  mark_try(e, result != 0);
  return result;
}

HEDDLE_EXPORT int sem_post(sem_t* s) {
  if (!active()) return real().sem_post(s);
  note_value(point(Op::kSemPost, s, __builtin_return_address(0)), s);
  const int result = real().sem_post(s);
  after_release(s, __builtin_return_address(0));
  return result;
}

HEDDLE_EXPORT int sem_destroy(sem_t* s) {
  if (active()) forget_object(s);
  return 0;
}
