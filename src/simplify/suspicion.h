#pragma once
// Which threads of a failing run look as if the bug needed them, without a run: the order in which whole-thread removal tries them.
#include <vector>

#include "trace/trace.h"

namespace heddle::simplify {

// `candidates`, the most suspect first. A thread stands here for its descendants too. First those that end in the bug. Then those that do
// what few others do: stress drivers start many threads alike, and the odd one is seldom there for nothing. Among equals, whoever last
// touched an object of the failing threads closest to the end.
std::vector<ThreadId> by_suspicion(const Trace& failing, const std::vector<ThreadId>& candidates);

}  // namespace heddle::simplify
