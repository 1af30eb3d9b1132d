#pragma once
// Rewriting the calls of hooks that do not matter in this epoch to NOPs: an uninteresting access then costs next to nothing.
// Only where program_text.h allows it.

#include <stdint.h>

namespace heddle::rt {

// The call that returns to `pc` becomes a NOP, if it is the call of a hook that may go and the text can be written.
void patch_call(const void* pc);
uint32_t patched_calls();

// Rewrites the calls that the plan disables, once in a process; its forked copies inherit it.
void rewrite_disabled();

}  // namespace heddle::rt
