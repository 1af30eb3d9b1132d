#pragma once
// Threads that the program makes by clone itself. They run beside the schedule, and may write to any memory at any time: what a thread
// under control waits for, they may bring about.

namespace heddle::rt {

// One is about to be made, at this place of the code: an event.
void note_strange_thread(void* pc);
bool had_strange_thread();  // in this run, as far as was seen
bool has_strange_thread();  // alive now

}  // namespace heddle::rt
