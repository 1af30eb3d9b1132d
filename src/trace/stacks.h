#pragma once
// The calls that led to each event of a run, kept beside the run's trace: a trace itself names only the innermost place.
#include <optional>
#include <string>

#include "trace/trace.h"

namespace heddle {

using Stacks = std::vector<std::vector<SiteId>>;  // by event; innermost first; empty where unknown

// Of a run under kDetectStacks.
Stacks stacks_in(const Trace& trace);

// Beside bug.json.
inline constexpr const char* kFailingStacks = "simplified.stacks";
inline constexpr const char* kPassingStacks = "passing.stacks";

std::string encode_stacks(const Stacks& stacks);
// Empty for a text that is none.
Stacks decode_stacks(const std::string& text);

}  // namespace heddle
