#pragma once
// What a reduction left, as reports and JSON show it (store/reduction.h).
#include "cli/campaign.h"
#include "simplify/reduce.h"
#include "store/reduction.h"

namespace heddle::cli {

// With the time of a replay of each, measured here.
ReductionRecord reduction_of(Campaign& campaign, const Trace& failing, const ReduceResult& result);

}  // namespace heddle::cli
