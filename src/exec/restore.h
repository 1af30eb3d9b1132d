#pragma once
// A new process of the program becomes a checkpoint (wire/checkpoint.h).
#include "exec/channel.h"
#include "exec/process.h"
#include "trace/checkpoint.h"

namespace heddle::exec {

// Before the process is started: it stops in its first constructor.
void want_restore(Channel& channel, const Checkpoint& checkpoint);
// After that: turns it into the checkpoint, and lets it go on with the channel's plan. `ended` says whether the process has. Throws Error with one
// sentence where it cannot be: another build, another kernel, no memory.
void restore(Channel& channel, CheckpointSource& source, const std::function<bool()>& ended);
// Until it has become it.
void await_restored(Channel& channel, const std::function<bool()>& ended);

}  // namespace heddle::exec
