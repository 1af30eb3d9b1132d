#pragma once
// Schedules that would show the bug of a trace again if every thread did what it did there: a guess, made from the trace alone. What one
// thread may have learnt from another is kept (reads see the same writes) where accesses are events; the order in which locks are taken is
// not, nor is a wait for something that has already happened. Each of these schedules needs a run to be believed.
#include "simplify/linearise.h"

namespace heddle::simplify {

// A wait on a condition that the schedule does without: its two operations are not executed, and the thread's later ones count two less.
struct AvoidedWait {
  ThreadId thread;
  uint64_t number;  // of the wait, in the trace
};

struct RebuiltOrder {
  LinearOrder order;
  std::vector<AvoidedWait> avoided;
};

// Forecasts simpler than the trace, the simplest first, at most `keep`.
std::vector<RebuiltOrder> forecasts(const Trace& trace, size_t keep);

}  // namespace heddle::simplify
