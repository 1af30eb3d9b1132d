#pragma once
// Loops of plain code that wait without a call, as part of a plan's point set (wire/code_point.h).
#include <memory>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

using LoopPoints = std::vector<CodePoint>;

// Puts what is new of them among the plan's sites. True if anything was.
bool add_loops(Plan& plan, std::span<const CodePoint> loops);

std::vector<SiteId> loops_among(std::span<const SiteId> sites);  // unmarked

// Those of a run, made anew from its modules where it was loaded from a file. To follow the run exactly a loop counts only from its first event
// on: before that it may not have been known.
std::shared_ptr<const LoopPoints> loops_of(const Trace& trace, Strictness strictness);

}  // namespace heddle::trace
