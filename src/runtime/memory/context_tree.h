#pragma once
// Where a thread is, as one number: its calls (from the function entry and exit hooks) and the locks it holds. Equal places share a
// node, so that a shadow cell can remember both in 32 bits.
#include <stdint.h>

#include "wire/race.h"

namespace heddle::rt {

using ContextId = uint32_t;  // 0: outside of every known function, no lock held

ContextId enter_call(ContextId context, uint32_t pc_low, uintptr_t stack_pointer);
ContextId leave_call(ContextId context);
// The thread's locks have changed.
ContextId with_locks(ContextId context, const ObjectId* locks, uint32_t count);

// Where the innermost function was called from, low half of the return address; 0 if unknown.
uint32_t call_of(ContextId context);
bool share_lock(ContextId a, ContextId b);
bool holds_lock(ContextId context, ObjectId lock);
// Fills stack and locks of a side of a race.
void describe(ContextId context, RaceSide* side);

}  // namespace heddle::rt
