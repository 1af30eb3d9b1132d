#pragma once
// Users and groups belong to the process, says POSIX; to each of its threads, says the kernel. glibc makes every thread change them, by a
// signal that ours do not answer. Here each kernel thread makes the changes that others have made when it comes to run.
#include "runtime/engine/thread.h"

namespace heddle::rt {

// A thread that is just being made has those of its creator.
void begin_identity(const ThreadSlot& thread);
// The calling thread, whose turn it is, makes the changes that it has missed.
void adopt_identity(const ThreadSlot& thread);

}  // namespace heddle::rt
