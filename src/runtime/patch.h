#pragma once
// Rewriting the calls of hooks that do not matter in this epoch to NOPs: an uninteresting access then costs next to nothing.
// Only while no other thread can be executing the program's code: in the fork server's root before a fork, or in a serialised run.

namespace heddle::rt {

// The call that returns to `pc` becomes a NOP. False where it is no call of a hook that may go, or the text cannot be written.
bool patch_call(const void* pc);

// The server, before each run: rewrites what the runs before have listed, and begins the counts of hooks anew.
void prepare_hooks();

}  // namespace heddle::rt
