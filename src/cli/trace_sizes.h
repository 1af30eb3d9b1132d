#pragma once
// How much of a reduced run has to be traced: the blocks of those thread execution intervals on which the failing one depends by memory (Execution
// Reduction, sections 3.2, 3.3 and 5).
#include <string>

#include "cli/campaign.h"
#include "store/reduction.h"

namespace heddle::cli {

// One replay of each under the Valgrind tool: the whole run is counted, of the reduced one the intervals are told apart and what matters is written
// beside the bug.
TraceSizes trace_sizes(Campaign& campaign, const Trace& whole, const Trace& reduced, const std::string& bug);

}  // namespace heddle::cli
