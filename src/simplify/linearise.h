#pragma once
// Other linear orders of the same computation, with fewer switches, found on the trace alone.
#include "simplify/dependence.h"
#include "simplify/schedule.h"

namespace heddle {

struct LinearOrder {
  Schedule schedule;
  size_t preemptions = 0;  // predicted
  size_t switches = 0;
  size_t events = 0;
};

// Orders that end in the trace's bug, the simplest first, without repetition, at most `keep`. Greedy: a thread runs on until its next
// event depends on one that has not been executed; the next thread is chosen in several fixed ways and in seeded random ones.
std::vector<LinearOrder> linear_orders(const Trace& trace, const Dependence& dependence, uint64_t seed, size_t keep);

}  // namespace heddle
