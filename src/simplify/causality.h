#pragma once
// Which order decides, tested by intervention: the deciding switch is moved through the operations of the thread that it stops, with
// everything else as it was and with other continuations, and the different event orders that result are counted by how they end.
#include "simplify/simplify.h"
#include "trace/cause.h"

namespace heddle::simplify {

struct CausalityOptions {
  std::optional<Trace> passing;  // helps to name the order where no switch is a preemption
  size_t max_executions = 320;
  double seconds = 0;  // 0 = no limit
  const std::atomic<bool>* stop = nullptr;
  uint64_t seed = 1;
  Limits limits{0, 10'000};
};

struct CausalityResult {
  Cause cause;
  std::optional<Trace> passing;  // of the passing runs seen, the one that shares the longest beginning with the failing one
};

// `failing` is a simplified trace for which `same_bug` holds.
CausalityResult causality(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                          const CausalityOptions& options = {});

}  // namespace heddle::simplify
