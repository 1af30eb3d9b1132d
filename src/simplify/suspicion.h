#pragma once
// Which threads of a failing run look as if the bug needed them, without a run: the order in which whole-thread removal tries them.
#include <vector>

#include "simplify/minimise.h"
#include "trace/trace.h"

namespace heddle::simplify {

// `candidates`, as positions in that list, the most suspect first; a thread stands here for its descendants too. First those that end in the bug. Then, by
// turns, those that were last at the objects at which these were last, and those that do what few others do: stress drivers start many threads alike, and
// the odd one is seldom there for nothing.
Ranking by_suspicion(const Trace& failing, const std::vector<ThreadId>& candidates);

}  // namespace heddle::simplify
