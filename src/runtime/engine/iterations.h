#pragma once
// Iterations of the loops that the program marks: counted by thread and loop, left out where the plan says so, written down where it asks for them
// (wire/iteration.h).
#include "runtime/engine/run.h"

// The word that marked statements look at before they call anything: are they counted in this run?
extern "C" __attribute__((visibility("default"))) int heddle_statements;

namespace heddle::rt {

// The calling thread begins an iteration of the loop at `place`. False: the plan leaves it out. `pc`: where it was called from.
bool begin_iteration(const char* place, const void* pc);
// ...and has come to the end of one.
void end_iteration(const char* place);

// The same of a statement that heddle-cc marked. They are called only where the word that the marks look at says so.
bool begin_statement(const char* place);
void end_statement(const char* place);

}  // namespace heddle::rt
