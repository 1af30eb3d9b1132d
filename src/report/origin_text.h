#pragma once
// The lines that a failure or a value came from, for people.
#include <span>
#include <string>
#include <vector>

#include "trace/origin_lines.h"
#include "trace/trace.h"

namespace heddle::report {

// The `most` nearest to what was asked for, by their index, in the order of execution.
std::vector<size_t> nearest_origins(const std::vector<OriginLine>& lines, size_t most);
// The nearest `most` of them, in the order of execution, one a line.
std::string origin_text(const std::vector<OriginLine>& lines, std::span<const Thread> threads, size_t most, size_t width);

}  // namespace heddle::report
