#pragma once
// A new process of the program becomes a checkpoint (wire/checkpoint.h).
#include "exec/channel.h"
#include "exec/process.h"
#include "trace/checkpoint.h"

namespace heddle::exec {

// Before the process is started: it stops in its first constructor.
void want_restore(Channel& channel, const Checkpoint& checkpoint);
// After that: turns it into the checkpoint, and lets it go on with the channel's plan. `ended` says whether the process has. Throws Error with one
// sentence where it cannot be: another build, another kernel, no memory. `traps`: it stops by a SIGTRAP before it goes on, for a debugger.
void restore(Channel& channel, CheckpointSource& source, const std::function<bool()>& ended, bool traps = false);
// Is there a process that has stopped to become one?
bool awaits_restore(const Channel& channel);
// None can be had: the process ends.
void give_up_restore(Channel& channel);

}  // namespace heddle::exec
