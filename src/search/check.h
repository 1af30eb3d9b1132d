#pragma once
// Explores all schedules up to a preemption bound and says what that proves.
#include "search/bounded.h"
#include "search/find.h"

namespace heddle::search {

struct CheckOptions {
  uint32_t bound = 2;
  Reduction reduction = Reduction::kWhereSeen;
  FindOptions find;  // budget, failure predicate, progress
};

// What was explored. Proved: every schedule with at most `bound` preemptions over this point set, for this input, under the conditions of
// space_words().
struct Certificate {
  PointKind points = PointKind::kSync;
  uint64_t points_id = 0;
  uint64_t sites = 0;  // distinct places in the code at which switches were tried
  uint32_t bound = 0;
  uint64_t schedules = 0;   // executed, all different
  uint64_t pruned = 0;      // continuations left out because an equal state was continued before at no greater cost
  uint64_t infeasible = 0;  // executions spent on learning that a thread was not enabled, or a wait too long to end early
  uint32_t timeouts = 0;    // early time-outs allowed in one schedule
  uint32_t complete = 0;    // schedules with fewer preemptions than this are all done
  bool reduced = false;
  bool exhausted = false;
  bool unfair = false;  // schedules in which a thread yields at one place for ever were cut
  std::string unseen;   // reduced: dependences that are assumed away; empty: none are
  std::string open;     // why it is not a proof although exhausted; empty if it is one
};

struct CheckResult {
  Certificate certificate;
  FindResult found;
  bool explored() const { return certificate.exhausted && certificate.open.empty() && !found.found(); }
  bool proved() const { return explored() && certificate.unseen.empty(); }
};

CheckResult check(const SearchOptions& options, Executor& executor, const CheckOptions& check_options);

}  // namespace heddle::search
