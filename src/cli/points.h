#pragma once
// Which operations of this program are scheduling points: what the user asks for, what the program's build allows, and, for the racing
// accesses of an instrumented program, what a few watched runs show.
#include <functional>
#include <optional>
#include <string>

#include "cli/learnt_points.h"
#include "exec/target.h"
#include "trace/executor.h"
#include "trace/races.h"

namespace heddle::cli {

struct ProfileLimits {
  size_t runs = 24;              // at most
  size_t runs_without_news = 5;  // runs in a row without a new racing site end it
};

struct PointSet {
  PointKind points = PointKind::kSync;
  std::vector<SiteId> sites;
  size_t executions = 0;  // spent on it
  RaceLog races;
  std::string note;                                    // where the user does not get what was asked for
  std::shared_ptr<const std::vector<CodePoint>> code;  // of a plain program: the sites, ready to be put in
  std::optional<LearntPoints> learnt;                  // how they were learnt
  std::optional<Trace> last;

  // Makes it the point set of the plan.
  void put_in(Plan& plan) const;
};

// Said to whom asks for all accesses of a plain program.
inline constexpr const char* kOnlyRacing = "the program is not built with heddle-cc: only its racing and atomic instructions can be points";

PolicySpec random_policy(uint64_t seed, size_t run);

// Throws Error where the program cannot be controlled at all. `wanted` nothing: racing accesses for an instrumented program, else
// synchronisation calls. `learn` learns the points of a plain program.
using Learn = std::function<LearntPoints(PointKind)>;
PointSet choose_points(const Target& target, std::optional<PointKind> wanted, const Plan& base, uint64_t seed, const Execute& run,
                       const Learn& learn);
// The point set of a plain program that is learnt; synchronisation calls, if there was nothing.
PointSet points_of(LearntPoints learnt, PointKind kind);

// Runs with race detection, first without preemption, then at random with the racing sites known so far as points, until no run shows
// anything new. `each` is told of every run; it may end the profile by returning false.
PointSet profile_races(const Plan& base, uint64_t seed, const ProfileLimits& limits, const Execute& run,
                       const std::function<bool(const Trace&)>& each = {});

}  // namespace heddle::cli
