#pragma once
// The calls that led to each event of a run, kept beside the run's trace: a trace itself names only the innermost place.
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

using Stacks = std::vector<std::vector<SiteId>>;  // by event; innermost first; empty where unknown

// Of a run under kDetectStacks.
Stacks stacks_in(const Trace& trace);

}  // namespace heddle::trace
