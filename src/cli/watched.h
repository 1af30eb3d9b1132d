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

  size_t known() const { return races.log().sites().size() + races.sites().size() + atomic.size(); }
};

// Watches one schedule after the other: the first without preemptions, the others at random.
class RaceWatch {
 public:
  // What is asked of a schedule.
  enum class Look {
    kSettled,  // a run that has shown that memory is shared, or that instructions are atomic, is made again with what it taught
    kQuick,    // only where something was lost: what its atomic instructions order may seem to race
  };
  RaceWatch(const Plan& base, uint64_t seed, const SharedRegions& regions) : base_(base), seed_(seed), regions_(regions) {}
  // False: cut.
  bool watch(const Execute& run, Look look);
  // The next schedule is the last one again.
  void again() { --found.schedules; }

  WatchedRaces found;

 private:
  Plan base_;
  uint64_t seed_;
  const SharedRegions& regions_;
  std::unique_ptr<Symbols> symbols_;  // of so many modules
  size_t modules_ = 0;
};

// Schedules until so many in a row have shown no new racing instruction. `each` is told of every schedule; it may end the profile by
// returning false.
WatchedRaces profile_watched(const Plan& base, uint64_t seed, const ProfileLimits& limits, const Execute& run, const SharedRegions& regions,
                             const std::function<bool(const Trace&)>& each = {});

}  // namespace heddle::cli
