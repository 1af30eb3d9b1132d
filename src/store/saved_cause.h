#pragma once
// The claim about a bug's cause as it is saved.
#include <optional>
#include <string>

#include "trace/cause.h"

namespace heddle::store {

// Beside bug.json.
inline constexpr const char* kCauseFile = "cause.json";
std::string encode_cause(const Cause& cause);
// Nothing for a text that is no cause.
std::optional<Cause> decode_cause(const std::string& text);

}  // namespace heddle::store
