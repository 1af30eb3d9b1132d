#pragma once
// Points in plain code as part of a plan's point set (wire/code_point.h): loops that wait without a call, accesses that race or are atomic.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

using CodePoints = std::vector<CodePoint>;

// Puts what is new of these loops among the plan's sites. True if anything was.
bool add_loops(Plan& plan, std::span<const CodePoint> loops);

std::vector<SiteId> loops_among(std::span<const SiteId> sites);     // unmarked
std::vector<SiteId> accesses_among(std::span<const SiteId> sites);  // unmarked
bool has_plain_accesses(std::span<const SiteId> sites);

// Makes these accesses (marked, wire/code_point.h) points of the plan, beside those that it has. `paths` are those of the run's modules. Gives the
// ones that cannot be had, unmarked.
std::vector<SiteId> add_accesses(Plan& plan, const std::vector<std::string>& paths, const std::vector<SiteId>& accesses);

// Those of a run, made anew from its modules where it was loaded from a file. To follow the run exactly a loop counts only from its first event
// on: before that it may not have been known.
std::shared_ptr<const CodePoints> code_of(const Trace& trace, Strictness strictness);
// The same for sites without a run.
std::shared_ptr<const CodePoints> code_of(const std::vector<std::string>& paths, const std::vector<SiteId>& sites);

}  // namespace heddle::trace
