#pragma once
// Cycles of lock owners: threads that wait for what each other holds. Where nobody else can end it, a cycle is a deadlock at once, even
// while other threads could run on. Where somebody might, it is kept in mind and the others run on (docs/decisions/0014).
#include "runtime/engine/thread.h"

namespace heddle::rt {

// The next operation of `thread` is not enabled. Ends the run if that closes a cycle for certain; keeps in mind one
// that may still be ended.
void look_for_cycle(const ThreadSlot& thread);

// The run is about to end in a way that proves nothing, or by exit. Ends it as a deadlock if a cycle that was kept in mind is still there.
void report_cycle();

// Does main wait in a cycle that is still there, or for a thread that does?
bool is_main_behind_cycle();

// The limit of events is reached. True: it was that of a cycle which has been ended since, and the run goes on.
bool outlived_cycle();

}  // namespace heddle::rt
