#pragma once
// What `run` and `record` share: the program's own exit code, and a word where it has none.
#include "exec/runner.h"

namespace heddle::cli {

// What the program itself would have left to the shell. A run that we ended has no exit code of its own.
int exit_code_of(const PlainRun& run);
// On stderr, where the end was ours to decide.
void say_how_it_ended(const PlainRun& run);

}  // namespace heddle::cli
