#pragma once
#include <vector>

#include "trace/trace.h"

namespace heddle::trace {

// The sites of plain accesses that conflict in this run with one of another thread, in an order that neither locks nor the program's
// structure fix: what would be points under PointKind::kRacy. For a run over all accesses; sorted.
std::vector<SiteId> racing_sites(const Trace& all);

// Makes it the point set of the plan, under a name of its own.
void set_points(Plan& plan, PointKind kind, std::vector<SiteId> sites);

// The run as it would have been recorded over PointKind::kRacy with these sites (sorted): the other plain accesses are left out and every
// thread's operations are counted anew. For a run over all accesses without preemptions, where leaving points out changes nothing else.
Trace project(const Trace& all, const std::vector<SiteId>& sites);

}  // namespace heddle::trace
