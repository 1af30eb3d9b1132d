#pragma once
// What a program sets up before its first thread, and what is not in its memory: all runs of a search would have it in common, and one would find
// what another has left in it.

namespace heddle::rt {

// Such a thing was made: "a System V message queue". After the first thread it is the run's own.
void made_in_kernel(const char* what);

// Asked before the first thread: what of this kind the program has, or nullptr.
const char* common_to_all_runs();

}  // namespace heddle::rt
