#pragma once
// How a run begins: the channel is mapped before any code of the program, main's thread is put under control, and the process that creates
// the first thread is the one that the tool follows.
#include <stdint.h>

namespace heddle::rt {

void attach();      // constructor: maps the channel if there is one
void start_main();  // main begins: its thread's start is event 1
void claim();       // before the first thread: this process is the one that the tool follows
// Around a fork. In the child: true, if it may still be the one that the tool follows, because no process of the program has a thread yet. In
// the parent, after it: a replay that follows a child leaves its parents alone from there.
bool begins_as_candidate();
void has_forked();
// `cursor`: how many of its slices have been followed already.
void install_plan(uint64_t cursor = 0);

}  // namespace heddle::rt
