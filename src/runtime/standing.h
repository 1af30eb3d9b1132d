#pragma once
// What the live threads stand before, as the policies see them. The table is kept from one decision to the next: of the threads that stand,
// nothing changes but whether they can go on, and for most of them a look at one word says that.
#include "policy/moment.h"
#include "runtime/thread.h"

namespace heddle::rt {

// In the order of g_live.
extern Candidate g_standing[kMaxThreads];

// The thread's pending operation, or how far it has come, is another one now.
void stands(const ThreadSlot& thread);

}  // namespace heddle::rt
