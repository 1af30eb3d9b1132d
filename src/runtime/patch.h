#pragma once
// Rewriting the calls of hooks that do not matter in this epoch to NOPs: an uninteresting access then costs next to nothing.
// Only while no other thread can be executing the program's code: in the fork server's root before a fork, or in a serialised run.

#include <stdint.h>

namespace heddle::rt {

// The call that returns to `pc` becomes a NOP, if it is the call of a hook that may go and the text can be written.
void patch_call(const void* pc);
uint32_t patched_calls();

// Other bytes of the program's text. The pages stay writable until flush_text(). False: the text cannot be written.
bool write_text(void* at, const void* bytes, uint32_t count);
void flush_text();

// Rewrites the calls that the plan names quiet, once in a process; its forked copies inherit it.
void rewrite_quiet();

}  // namespace heddle::rt
