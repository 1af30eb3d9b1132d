#pragma once
// The lines that led to a failure, as they are saved.
#include <string>
#include <vector>

#include "trace/origin_lines.h"

namespace heddle::store {

// Beside bug.json: of the simplified run.
inline constexpr const char* kOriginsFile = "slice.json";
std::string encode_origins(const std::vector<OriginLine>& lines);
// Empty for a text that is none, or that speaks of more threads than there are.
std::vector<OriginLine> decode_origins(const std::string& text, size_t threads);

}  // namespace heddle::store
