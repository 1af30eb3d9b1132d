#pragma once
// Waits for something that only the world outside the program can bring: a peer, a child process, a terminal, a signal.
#include "runtime/engine/run.h"
#include "runtime/outside/descriptors.h"

namespace heddle::rt {

inline constexpr uint64_t kNoDeadline = UINT64_MAX;

// No thread can go on by itself before the virtual time `deadline`. Waits, really, for what some thread hopes for from outside: as long as
// it takes in a plain run, for a bounded time in a search. True if there was news; the threads are to be looked at again.
bool wait_for_outside(uint64_t deadline);
// Does any thread hope for something from outside? Tells a deadlock from an external wait.
bool awaits_outside();

// Before a point that waits for somebody outside: a short real wait, so that the schedule does not hang on how fast the other one is. Not in a run
// with env_seed 0, which promises no repetition.
void be_patient(const DescriptorWait& wait);
void be_patient(const ChildWait& wait);
// The same for an operation on an object that another process may have too.
void be_patient(const Pending& wait);

}  // namespace heddle::rt
