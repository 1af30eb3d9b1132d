#pragma once
// Statements that a failure does not depend on, sliced by one replay under Valgrind and then really left out.
#include "cli/campaign.h"
#include "simplify/reduce.h"

namespace heddle::cli {

// Of a program whose statements are marked (heddle-cc with clang): leaves out of `result.best` those that are not needed. Where no slice can be had, says why in
// `result.no_statements`. `failing`: what the reduction began with.
void remove_irrelevant_statements(Campaign& campaign, const Trace& failing, ReduceResult& result, const ReduceOptions& options);

}  // namespace heddle::cli
