#pragma once
// Runs without a fork. The child of a server that has come to the end of its run puts its memory back to what the server's is, and takes
// the next plan itself. The server only waits for it to die; then it forks another.
//
// Which pages a run has written is asked of the kernel (a page that it no longer shares with the server is its own); a child that finds
// one for the first time leaves its address and dies, and the server, which has the page as it was, puts a copy where the next child finds
// it. After a few runs all pages are known, no run faults any more, and nothing has to be asked. What a run does to the kernel is seen by
// "syscall user dispatch" (Linux 5.11): a call that leaves something behind (call_effects.h) makes the child end with its run, as a forked one
// does. Where any of this is not to be had, every run is a fork.
#include <stdint.h>

#include "runtime/base/context.h"

namespace heddle::rt {

// The server, before its first child: makes what it shares with its children. Gives where to mark the place that children come back to
// (heddle_mark), or nullptr: every run will be a fork.
HeddleMark* begin_rewind(uint32_t row);
// Is this process one that makes many runs?
bool is_used_again();
// In such a one: sees every call that is not ours, also after one that has ended the looking for this run.
void stop_all_calls();
// A copy of a child: what that one shared with its server is not this one's.
void forget_rewind();
// The server, about to fork: `taken` is the request that the child is for.
void before_child(uint32_t taken);
// The server, after its child has died: the last request that the child took, and whether it was answered. `status`: how the run ended.
struct ChildEnd {
  uint32_t taken;
  bool answered;
};
ChildEnd after_child(uint32_t taken, int* status);
// The child, before it begins its first run.
void begin_child();
// The child, at the end of its run, `status` as wait4 would give it. Comes back if the process has to end with its run.
void end_child(int status);

}  // namespace heddle::rt
