#pragma once
// The lines that decide, with carets and what happens there, and the stretches of source that belong to them.
#include "report/diagnosis.h"
#include "report/screen.h"

namespace heddle::report {

// Without `all` only the lines of which something is said, where the rest would be too long.
void add_excerpts(Screen& out, const Names& names, const Diagnosis& diagnosis, bool all);

}  // namespace heddle::report
