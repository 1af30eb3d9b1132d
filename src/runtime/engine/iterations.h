#pragma once
// Iterations of the loops that the program marks: counted by thread and loop, left out where the plan says so, written down where it asks for them
// (wire/iteration.h).
#include "runtime/engine/run.h"

namespace heddle::rt {

// The calling thread begins an iteration of the loop at `place`. False: the plan leaves it out. `pc`: where it was called from.
bool begin_iteration(const char* place, const void* pc);
// ...and has come to the end of one.
void end_iteration(const char* place);

}  // namespace heddle::rt
