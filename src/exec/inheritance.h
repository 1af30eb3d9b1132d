#pragma once
// The limits and the ignored signals with which the tool was started. The tool makes room for itself; what it starts finds things as they were.
#include <cstddef>

namespace heddle::exec {

// Before anything else of the tool, and once: takes the numbers 0 to 2 where nobody gave us a file, so that no file of ours is read or printed to in
// its place, and the room that soft limits leave. Reading and writing at 0 to 2 fails as before, and a program that is started finds them closed.
void make_room();

// Throws Error where a limit leaves no room for a program under control: better than a program that fails for want of what we took.
void check_room(bool needs_high_descriptors);

// Between fork and exec: neither allocates nor locks. `writes_to_ours`: its output goes to files of ours, for which a limit of file sizes was not
// meant, and it is run often: signals are then as they are by default, however the tool was started.
void hand_on(bool writes_to_ours);

// Whether the size of files is limited, which hand_on does not pass on for a program that writes to ours.
bool file_size_limited();

// Calls `work` on a stack that is large enough, whatever the limit is.
int on_large_stack(int (*work)(int, char**), int count, char** words);

}  // namespace heddle::exec
