#pragma once
// Removal of the statements that a failure does not depend on (LEAN, section 3.2.1): a slice proposes them, the redundancy criterion decides, in batches.
#include <vector>

#include "simplify/reduce.h"
#include "trace/statements.h"

namespace heddle::simplify {

// What slices of one run say: the executions that are not needed by values, and those that are not by the paper's whole graph.
struct StatementSlices {
  std::vector<StatementRun> runs;    // in the order in which they began
  std::vector<bool> values, orders;  // by run: is it needed
  std::vector<Loop> places;          // of the statements
};

// Takes the statements out of `result.best`, which the slices speak of. What was done is added to `result`.
void remove_statements(ReduceResult& result, const StatementSlices& slices, const std::function<bool(const Trace&)>& same_bug,
                       Executor& executor, const ReduceOptions& options);

}  // namespace heddle::simplify
