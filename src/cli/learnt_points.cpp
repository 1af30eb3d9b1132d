#include "cli/learnt_points.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/point_learner.h"
#include "trace/plain_points.h"

namespace heddle::cli {

LearntPoints learn_points(const Target& target, const RunnerOptions& options, PointKind kind, const Plan& base, uint64_t seed,
                          const LearnLimits& limits, const Execute& run) {
  PointLearner learner(target, options, kind, base, seed, limits);
  const auto begun = std::chrono::steady_clock::now();
  const Trace native = run(base);
  ++learner.learnt.native;
  if (learner.begin(native, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count())) {
    learner.learn_all();
    Plan plan = base;
    add_accesses(plan, learner.learnt.paths, learner.learnt.sites);
    if (plan.sites != base.sites) {
      learner.leave_out_frequent(run(plan));
      ++learner.learnt.native;
    }
  }
  learner.learnt.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return std::move(learner.learnt);
}

std::string words_about(const LearntPoints& learnt) {
  const std::string runs = learnt.executions == 0 ? std::string("not watched")
                                                  : fmt::format("learnt in {} run{} under Valgrind, {:.1f} s", learnt.executions,
                                                                learnt.executions == 1 ? "" : "s", learnt.seconds);
  return fmt::format("{} {} and {} atomic instructions of the program are scheduling points ({}{}{})", learnt.racing,
                     learnt.suspected ? "possibly racing" : "racing", learnt.atomic, runs, learnt.why_not.empty() ? "" : "; ",
                     learnt.why_not);
}

}  // namespace heddle::cli
