#pragma once
#include <string>

#include "trace/trace.h"

namespace heddle {

// Where every thread stands after event `at` (from 1) of a saved bug's trace, by running the schedule again so far.
int show_at(const std::string& bug, const Trace& trace, uint64_t at, bool json);

}  // namespace heddle
