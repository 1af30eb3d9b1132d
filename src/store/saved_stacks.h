#pragma once
// The calls that led to each event, as they are saved.
#include <string>

#include "trace/locals.h"
#include "trace/stacks.h"

namespace heddle::store {

// Beside bug.json.
inline constexpr const char* kFailingStacks = "simplified.stacks";
inline constexpr const char* kPassingStacks = "passing.stacks";

std::string encode_stacks(const Stacks& stacks, const std::vector<LocalPlace>& locals = {});
// Empty for a text that is none.
Stacks decode_stacks(const std::string& text);
std::vector<LocalPlace> decode_locals(const std::string& text);

}  // namespace heddle::store
