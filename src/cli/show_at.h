#pragma once
#include <string>
#include <vector>

#include "cli/session.h"
#include "trace/trace.h"

namespace heddle::cli {

class Campaign;

// Where a thread (an index of the trace) stands after event `at` (from 1): "function  file:line", innermost first, by running it so far.
std::vector<std::string> stack_at(Campaign& campaign, const Trace& trace, uint64_t at, uint32_t thread);

// Where every thread stands after event `at` (from 1) of a saved bug's trace, by running the schedule again so far.
int show_at(const std::string& bug, const Session& session, const Trace& trace, uint64_t at, bool json);

}  // namespace heddle::cli
