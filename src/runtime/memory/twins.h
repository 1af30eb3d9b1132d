#pragma once
// The plain twins of instrumented functions (wire/twin_note.h). A function in which nothing matters any more begins with a jump to its twin: none of
// its hooks is a point and some are called often for nothing, and neither is there a point in anything that it calls. Only while no other
// thread can be executing the program's code, as program_text.h wants it.

#include <stdint.h>

namespace heddle::rt {

// Finds the twins of the loaded modules, and chooses them for what the plan's point set says. Once in a process; its forked copies inherit it.
void choose_twins();
// The hook that returns to `pc` is disabled now: its function may go to its twin now.
void twin_grew_disabled(const void* pc);
// A loop waits after all. In a run that chooses on the way, every function gets its own code back, and keeps it.
void drop_twins();
bool in_twin(const void* pc);

}  // namespace heddle::rt
