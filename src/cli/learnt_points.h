#pragma once
// Which instructions of a program that is not instrumented are to be scheduling points: the racing ones, learnt from a few runs under
// Valgrind, and the atomic ones, found in its code.
#include <string>
#include <vector>

#include "exec/runner.h"
#include "exec/valgrind.h"

namespace heddle::cli {

struct LearntPoints {
  std::vector<SiteId> sites;       // marked (wire/code_point.h); sorted
  std::vector<std::string> paths;  // of the modules that they count
  std::vector<SiteId> certain;     // those that were seen to race; unmarked, sorted
  size_t racing = 0, atomic = 0;   // of them; some are both
  bool suspected = false;          // the racing ones would race if atomic instructions ordered nothing
  size_t executions = 0;           // runs under Valgrind
  size_t native = 0;               // and without it
  double seconds = 0;
  std::string why_not;              // nothing could be watched, or not to the end
  std::vector<std::string> unseen;  // what is no point although it might have to be one
};

struct LearnLimits {
  double seconds = 0;  // for runs under Valgrind; 0: no limit
  size_t schedules = 12;
  size_t without_news = 4;
};

// `kind`: kAtomics or kRacy. `run` makes runs without Valgrind, under plans made of `base`.
LearntPoints learn_points(const Target& target, const RunnerOptions& options, PointKind kind, const Plan& base, uint64_t seed,
                          const LearnLimits& limits, const Execute& run);

// One sentence: what was learnt, and how.
std::string words_about(const LearntPoints& learnt);

}  // namespace heddle::cli
