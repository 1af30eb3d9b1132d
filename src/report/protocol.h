#pragma once
// Calls used against their rules that the run itself shows, whatever it fails with in the end: a lock given back that was never got, a
// time-out that nobody looked at, a wait whose condition is not tested again.
#include "report/case.h"

namespace heddle::report {

// Each is false, and changes nothing, where the run shows no such thing.
bool released_after_failed_try(Case& c);
bool went_on_without_lock(Case& c);
// Does the source test the condition again after the wait of that event?
bool in_loop(const Case& c, size_t step);
bool untested_wait(Case& c, const std::string& asserted);

}  // namespace heddle::report
