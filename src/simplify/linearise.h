#pragma once
// Other linear orders of the same computation, with fewer switches, found on the trace alone.
#include "simplify/dependence.h"
#include "simplify/schedule.h"

namespace heddle::simplify {

struct LinearOrder {
  Schedule schedule;
  size_t preemptions = 0;  // predicted
  size_t switches = 0;
  size_t events = 0;
};

// Orders that end in the trace's bug, the simplest first, without repetition, at most `keep`. A thread runs on until its next event depends
// on one that has not been executed; which thread comes next is searched, the most promising beginnings side by side.
std::vector<LinearOrder> linear_orders(const Trace& trace, const Dependence& dependence, size_t keep);

}  // namespace heddle::simplify
