#pragma once
// A lock that the program makes of a variable: it waits until the variable is 0, sets it, and sets it back to 0 in the end.
#include "report/case.h"

namespace heddle::report {

// Two threads had found it free before one of them set it, and both were inside. False, and nothing changed, where the run shows no such thing.
bool both_found_it_free(Case& c);

}  // namespace heddle::report
