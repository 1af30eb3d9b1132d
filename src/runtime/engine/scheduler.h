#pragma once
// `point` is the only place where a switch can happen.
#include "runtime/engine/run.h"

namespace heddle::rt {

// After so many events in a row of threads that only yield and poll, time passes for those who sleep or look at the clock: a fair machine
// would let it.
inline constexpr uint64_t kIdleSteps = 1000;

// Waits before the operation until the plan lets this thread execute it and it is enabled; then records its event and returns, and the
// caller performs the real call, which never blocks. nullptr: a signal's handler came between, and ends the wait (Pending::interrupt).
Event* point(const Pending& pending);
// The inner half of it, for deliveries of signals: takes me->pending as it is.
Event* take_turn(ThreadSlot* me);

// While ready() is asked for the thread that ran last, which goes on at once if it can.
extern bool g_goes_on;

// Short forms. `address` is the raw object; its name is looked up here.
Event* point(Op op, const void* address, void* pc);

// The operation on the object, which may have let somebody go on, is done: what the caller does next is no part of it, where the plan says so.
inline void after_release(const void* address, void* pc) {
  if (__builtin_expect(static_cast<int>(g_run.after_releases), 0) != 0) point(Op::kReleased, address, pc);
}

// The event just recorded turned out to be an idle one (a failed try, a spin): it does not count as progress.
void no_progress();
// ...or one that only let time pass: a time-out.
void time_passed();

// The thread has executed its last event: somebody else runs now. Returns when the thread is reaped and a kernel thread is behind it.
void leave_for_ever();

// The first resumption of a new thread: records its start.
void begin_thread(ThreadSlot* thread);

// Ends the waits of `count` threads queued on `address`, first in first out or as the plan chooses; records the choice in the event.
uint32_t wake(const void* address, uint32_t count, Event* event);

// A try has failed or not: marks the event, and the thread as spinning when it fails again and again at one place.
void mark_try(Event* event, bool fails);

}  // namespace heddle::rt
