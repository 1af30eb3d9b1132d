#pragma once
// Whose wait for something outside is over: the kernel is asked once for all threads that wait, at each moment of a run.
#include "runtime/engine/thread.h"
#include "runtime/engine/waits.h"

namespace heddle::rt {

bool outside_ready(const ThreadSlot& thread, const DescriptorWait& wait);
// Real time has passed without an event: what was asked before is old.
void ask_again();
// The kernel was asked for all whose calls wait for something outside, in the order of g_live, and said this.
void answered(const pollfd* fds);

// The run is over: a thread whose wait was over, too, and that did not go on any more was passed over as one that could. A replay has to say the same.
void log_waits_at_end();

}  // namespace heddle::rt
