#pragma once
// Explores all schedules up to a preemption bound and says what that proves.
#include "search/find.h"

namespace heddle {

struct CheckOptions {
  uint32_t bound = 2;
  bool reduce = true;  // see Bounded
  FindOptions find;    // budget, failure predicate, progress
};

// What was explored. Proved: every schedule with at most `bound` preemptions over this point set, for this input, under sequential
// consistency, with at most `timeouts` time-outs fired before their time.
struct Certificate {
  PointKind points = PointKind::kSync;
  uint64_t points_id = 0;
  uint64_t sites = 0;  // distinct places in the code at which switches were tried
  uint32_t bound = 0;
  uint64_t schedules = 0;   // executed, all different
  uint64_t pruned = 0;      // continuations left out because an equal state was continued before at no greater cost
  uint64_t infeasible = 0;  // executions spent on learning that a thread was not enabled
  uint32_t timeouts = 0;    // early time-outs allowed in one schedule
  uint32_t complete = 0;    // schedules with fewer preemptions than this are all done
  bool reduced = false;
  bool exhausted = false;
  std::string open;  // why it is not a proof although exhausted; empty if it is one
};

struct CheckResult {
  Certificate certificate;
  FindResult found;
  bool proved() const { return certificate.exhausted && certificate.open.empty() && !found.found(); }
};

CheckResult check(const SearchOptions& options, Executor& executor, const CheckOptions& check_options);

}  // namespace heddle
