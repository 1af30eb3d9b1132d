#pragma once
// Removal of whole threads: which of them does the bug need? LEAN (Huang & Zhang, OOPSLA 2012), sections 2.2 and 3.1.
#include <string>
#include <vector>

#include "simplify/simplify.h"

namespace heddle::simplify {

struct ReduceOptions {
  size_t max_executions = 0;  // 0 = no limit
  double seconds = 0;         // 0 = no limit
  const std::atomic<bool>* stop = nullptr;
  Limits limits{0, 10'000};  // events = 0: a generous multiple of the failing trace
  std::function<void(const SimplifyProgress&)> progress;
};

struct ReduceResult {
  Trace best;                     // of the reduced program: its skips are in the trace, so that its plan replays it
  std::vector<ThreadId> removed;  // roots of the removed subtrees, in order of removal
  size_t executions = 0;
  size_t rounds = 0;  // a validation: the projected schedule and, if that fails, a sequential run
  double seconds = 0;
  bool sequential_bug = false;  // the whole program fails alike without any interleaving: then only the first condition was used
  bool one_minimal = true;      // no single remaining thread can be removed; false: cut by a limit
  bool finished = true;
};

// Hierarchical delta debugging over the tree of births (Algorithms 1 and 2). A set of threads is redundant iff without it and its
// descendants the projected schedule still fails with the same bug, and a sequential run reaches the failing check and passes.
ReduceResult reduce(const Trace& failing, const std::function<bool(const Trace&)>& same_bug, Executor& executor,
                    const ReduceOptions& options = {});

}  // namespace heddle::simplify
