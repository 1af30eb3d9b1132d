#pragma once
// Threads and iterations of loops removed from a failing run.
#include <optional>

#include "cli/campaign.h"
#include "cli/progress.h"
#include "cli/reduction.h"
#include "cli/results.h"
#include "simplify/reduce.h"

namespace heddle::cli {

// What the bug does not need removed; saved as the bug's reduced trace. Nothing if the reduced run does not replay.
std::optional<ReduceResult> reduce_failure(Campaign& campaign, const Trace& failing, double seconds, Progress& progress,
                                           uint64_t executions = 0);
// Nothing of it is left out.
ReduceResult as_it_is(const Trace& failing);
Json json_reduce(const ReduceResult& result);
void save_reduced(Bug& bug, const ReduceResult& result, const ReductionRecord& reduction);

}  // namespace heddle::cli
