#pragma once
// All of the cause: the smallest set found of orders between two operations each that is enough for the failure, so that none of them can be
// left out. Found by leaving out one after the other, held against runs that keep the rest (delta debugging, Zeller & Hildebrandt 2002, over
// the orders of a run instead of its switches; Lotto's rinflex asks the same question).
#include <functional>

#include "simplify/cause_finder.h"
#include "trace/plan.h"

namespace heddle::simplify {

struct OrdersInput {
  const Trace& failing;
  CauseFinder& finder;  // gets every run; those that it has already count
  // Runs the plans, adds the runs to the finder; fewer than asked for where the budget is spent.
  std::function<size_t(const std::vector<Plan>&)> run;
  std::function<bool()> spent;
  Limits limits;
  uint64_t seed = 1;
};

struct OrdersResult {
  std::vector<CausePart> parts;  // empty: no such set was found
  CauseSide together;            // runs in which all of them hold
};

OrdersResult sufficient_orders(const OrdersInput& input);

}  // namespace heddle::simplify
