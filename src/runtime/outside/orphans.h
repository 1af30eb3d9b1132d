#pragma once
// Children of the program's own children: when their parent has ended nobody tells when they do, and they may hold what it had.
#include "runtime/engine/waits.h"

namespace heddle::rt {

// Does a process that is left of an ended child have one of these pipes or sockets of ours open, and may it make the wait end? Looks through
// /proc, where the program has had children and everybody waits.
bool left_with_orphans(const DescriptorWait& wait);

}  // namespace heddle::rt
