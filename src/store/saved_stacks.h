#pragma once
// The calls that led to each event, as they are saved.
#include <string>

#include "trace/stacks.h"

namespace heddle::store {

// Beside bug.json.
inline constexpr const char* kFailingStacks = "simplified.stacks";
inline constexpr const char* kPassingStacks = "passing.stacks";

std::string encode_stacks(const Stacks& stacks);
// Empty for a text that is none.
Stacks decode_stacks(const std::string& text);

}  // namespace heddle::store
