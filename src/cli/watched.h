#pragma once
// The races of a program that is not instrumented: runs under the Valgrind tool, which shows its accesses.
#include <functional>
#include <memory>
#include <set>

#include "cli/points.h"
#include "exec/runner.h"
#include "exec/valgrind.h"
#include "trace/plain_races.h"

namespace heddle::cli {

struct WatchedRaces {
  PlainRaces races;
  size_t executions = 0;  // those that were made again included
  size_t schedules = 0;
  std::optional<Trace> last;
  bool cut = false;         // given up: interrupted, or out of time
  std::set<SiteId> atomic;  // instructions that accessed atomic words
};

// Schedules at random, the first without preemptions, until so many in a row have shown no new racing instruction. A run that has shown that memory is shared, or that instructions are atomic, is made
// again with what it taught. `each` is told of every schedule; it may end the profile by returning false.
WatchedRaces profile_watched(const Plan& base, uint64_t seed, const ProfileLimits& limits, const Execute& run, const SharedRegions& regions,
                             const std::function<bool(const Trace&)>& each = {});

}  // namespace heddle::cli
